package report

import (
	"slices"
	"strings"

	"getio/numbers/units"
)

// column is a column of a table that has a row for each R: what it is called, how a value is shown, and how
// important it is.
type column[R any] struct {
	heading
	cell func(R) string
}

// heading is what a table knows of a column besides its cells.
type heading struct {
	name  string // of one or several lines; "/Get" in a line of its own reads "per Get" in documents
	only  medium // empty: the column is shown everywhere
	text  bool   // aligned to the left, as the first column is
	known bool   // left out if no row has a value
	never bool   // left out
	// prose is wrapped if the line is too short.
	prose bool
	// spare columns are dropped if the table is too wide, the lowest number first; a column with 0 is always shown.
	spare int
}

// medium is where a table is shown.
type medium string

const (
	onTerminals medium = "text"
	inDocuments medium = "documents" // Markdown and pages
)

func col[R any](name string, cell func(R) string) column[R] {
	return column[R]{heading{name: name}, cell}
}

// colIf makes columns of the rows for which a condition holds, with another text in the others.
func colIf[R any](holds func(R) bool, otherwise string) func(name string, cell func(R) string) column[R] {
	return func(name string, cell func(R) string) column[R] {
		return col(name, func(r R) string {
			if !holds(r) {
				return otherwise
			}
			return cell(r)
		})
	}
}

func (c column[R]) left() column[R]             { c.text = true; return c }
func (c column[R]) ifKnown() column[R]          { c.known = true; return c }
func (c column[R]) when(is bool) column[R]      { c.never = !is; return c }
func (c column[R]) asProse() column[R]          { c.text, c.prose = true, true; return c }
func (c column[R]) spareAs(nth int) column[R]   { c.spare = nth; return c }
func (c column[R]) shown(only medium) column[R] { c.only = only; return c }

// Table is columns of as many cells each.
type Table struct {
	columns []cells
	footer  bool
}

// cells is the text of a column.
type cells struct {
	heading
	rows   []string
	footer string
}

func newTable[R any](rows []R, columns ...column[R]) *Table {
	t := &Table{}
	for _, c := range columns {
		of := cells{heading: c.heading}
		for _, r := range rows {
			of.rows = append(of.rows, c.cell(r))
		}
		t.columns = append(t.columns, of)
	}
	return t
}

// withTotal is a table whose last row is of the sum of the others.
func withTotal[R any](rows []R, total R, columns ...column[R]) *Table {
	var footer []string
	for _, c := range columns {
		footer = append(footer, c.cell(total))
	}
	return newTable(rows, columns...).withFooter(footer...)
}

func (t *Table) withFooter(footer ...string) *Table {
	t.footer = true
	for i, text := range footer {
		t.columns[i].footer = text
	}
	return t
}

// on returns the columns that are shown in a medium and have something to show.
func (t *Table) on(m medium) []cells {
	known := func(s string) bool { return s != "" && s != units.Absent }
	return slices.DeleteFunc(slices.Clone(t.columns), func(c cells) bool {
		return c.never || c.only != "" && c.only != m || c.known && !slices.ContainsFunc(c.rows, known)
	})
}

// rowsOf returns the cells of columns by row.
func rowsOf(columns []cells) [][]string {
	rows := make([][]string, len(columns[0].rows))
	for _, c := range columns {
		for i, text := range c.rows {
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

// Document returns the headings and the rows of a table in a document.
func (t *Table) Document() (header []string, rows [][]string) {
	columns := t.on(inDocuments)
	for _, c := range columns {
		header = append(header, strings.ReplaceAll(strings.ReplaceAll(c.name, "\n/", " per "), "\n", " "))
	}
	return header, rowsOf(columns)
}
