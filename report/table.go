package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

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
	footer  bool // the last row is one
}

// cells is the text of a column.
type cells struct {
	heading
	rows []string
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
	t := newTable(append(slices.Clone(rows), total), columns...)
	t.footer = true
	return t
}

func (t *Table) withFooter(footer ...string) *Table {
	t.footer = true
	for i, text := range footer {
		t.columns[i].rows = append(t.columns[i].rows, text)
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

// Document returns the headings and the rows of a table in a document, without the footer.
func (t *Table) Document() (header []string, rows [][]string) {
	columns := t.on(inDocuments)
	for _, c := range columns {
		header = append(header, strings.ReplaceAll(strings.ReplaceAll(c.name, "\n/", " per "), "\n", " "))
	}
	rows = rowsOf(columns)
	if t.footer {
		rows = rows[:len(rows)-1]
	}
	return header, rows
}

// columnGap is the space between two columns of a table.
const columnGap = "  "

// proseWidth is the least width of a column of prose.
const proseWidth = 24

// fit renders the table as text of at most width columns, without lines between columns or rows: one rule
// below the header and one above the footer. missing are the names of the columns that did not fit.
func (t *Table) fit(width int) (lines string, missing []string) {
	var columns, spare []*cells
	over := -len(columnGap) - width
	for _, c := range t.on(onTerminals) {
		columns = append(columns, &c)
		if over += c.leastWidth() + len(columnGap); c.spare > 0 {
			spare = append(spare, &c)
		}
	}
	slices.SortStableFunc(spare, func(a, b *cells) int { return cmp.Compare(a.spare, b.spare) })
	out := 0
	for ; out < len(spare) && over > 0; out++ {
		over -= spare[out].leastWidth() + len(columnGap)
	}
	var kept []cells
	for _, c := range columns {
		if !slices.Contains(spare[:out], c) {
			kept = append(kept, *c)
			continue
		}
		name := strings.ReplaceAll(strings.ReplaceAll(c.name, "-\n", ""), "\n", " ")
		missing = append(missing, strings.TrimSpace(strings.ReplaceAll(name, " /", "/")))
	}
	return layOut(kept, t.footer, width), slices.Compact(missing)
}

// width is that of the longest line.
func (c cells) width() int {
	width := text.LongestLineLen(c.name)
	for _, s := range c.rows {
		width = max(width, text.LongestLineLen(s))
	}
	return width
}

// leastWidth is the width that the column has at least if it is shown.
func (c cells) leastWidth() int {
	if c.prose {
		return min(c.width(), proseWidth)
	}
	return c.width()
}

func layOut(columns []cells, footer bool, width int) string {
	out := table.NewWriter()
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: columnGap, MiddleHorizontal: "-", MiddleSeparator: "-"}
	style.Format = table.FormatOptions{}
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	out.SetStyle(style)
	over := -len(columnGap) - width
	for _, c := range columns {
		over += c.width() + len(columnGap)
	}
	var header table.Row
	var configs []table.ColumnConfig
	for i, c := range columns {
		align := text.AlignRight
		if i == 0 || c.text {
			align = text.AlignLeft
		}
		config := table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align, VAlignHeader: text.VAlignBottom}
		if c.prose {
			config.WidthMax, config.WidthMaxEnforcer = max(proseWidth, c.width()-max(0, over)), text.WrapSoft
		}
		header, configs = append(header, c.name), append(configs, config)
	}
	out.SetColumnConfigs(configs)
	out.AppendHeader(header)
	rows := rowsOf(columns)
	for i, cells := range rows {
		var row table.Row
		for _, s := range cells {
			row = append(row, s)
		}
		if footer && i == len(rows)-1 {
			out.AppendFooter(row)
		} else {
			out.AppendRow(row)
		}
	}
	return trimLines(out.Render())
}

// trimLines takes the last column's gap off every line and off the rules, which go-pretty also draws below the gap.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.Trim(line, "-") == "" {
			line = strings.TrimSuffix(line, strings.Repeat("-", len(columnGap)))
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
