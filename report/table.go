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

func (c column[R]) left() column[R]             { c.text = true; return c }
func (c column[R]) ifKnown() column[R]          { c.known = true; return c }
func (c column[R]) when(is bool) column[R]      { c.never = !is; return c }
func (c column[R]) asProse() column[R]          { c.text, c.prose = true, true; return c }
func (c column[R]) spareAs(nth int) column[R]   { c.spare = nth; return c }
func (c column[R]) shown(only medium) column[R] { c.only = only; return c }

// Table is cells by row, with the headings of their columns.
type Table struct {
	columns []heading
	rows    [][]string
	footer  []string // nil for none
}

func newTable[R any](rows []R, columns ...column[R]) *Table {
	t := &Table{}
	for _, c := range columns {
		t.columns = append(t.columns, c.heading)
	}
	for _, r := range rows {
		t.rows = append(t.rows, cellsOf(r, columns))
	}
	return t
}

// withTotal is a table whose last row is of the sum of the others.
func withTotal[R any](rows []R, total R, columns ...column[R]) *Table {
	t := newTable(rows, columns...)
	t.footer = cellsOf(total, columns)
	return t
}

func cellsOf[R any](r R, columns []column[R]) (cells []string) {
	for _, c := range columns {
		cells = append(cells, c.cell(r))
	}
	return cells
}

// without returns the table without some of its columns.
func (t *Table) without(out func(i int, h heading) bool) *Table {
	var kept Table
	stays := func(cells []string) (left []string) {
		for i, c := range cells {
			if !out(i, t.columns[i]) {
				left = append(left, c)
			}
		}
		return left
	}
	for i, h := range t.columns {
		if !out(i, h) {
			kept.columns = append(kept.columns, h)
		}
	}
	for _, r := range t.rows {
		kept.rows = append(kept.rows, stays(r))
	}
	if t.footer != nil {
		kept.footer = stays(t.footer)
	}
	return &kept
}

// on returns the table as it is shown in a medium, without columns that have nothing to show.
func (t *Table) on(m medium) *Table {
	return t.without(func(i int, h heading) bool {
		return h.never || h.only != "" && h.only != m || h.known && !slices.ContainsFunc(t.rows, func(r []string) bool { return r[i] != "" && r[i] != units.Absent })
	})
}

// Document returns the headings and the rows of a table in a document.
func (t *Table) Document() (header []string, rows [][]string) {
	t = t.on(inDocuments)
	for _, h := range t.columns {
		header = append(header, strings.ReplaceAll(strings.ReplaceAll(h.name, "\n/", " per "), "\n", " "))
	}
	return header, t.rows
}
