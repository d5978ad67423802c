package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// columnGap is the space between two columns of a table.
const columnGap = "  "

// textTable is a table of text. The first column is aligned to the left, the others to the right.
type textTable struct {
	header []string // a cell may have two lines
	rows   [][]string
	footer []string // nil for none
	left   []int    // further columns to align to the left, from 0
}

func (g *textTable) add(cells ...string) { g.rows = append(g.rows, cells) }

// String renders the table without lines between columns or rows: one rule below the
// header and one above the footer.
func (g *textTable) String() string {
	t := table.NewWriter()
	t.SetStyle(textTableStyle())
	t.SetColumnConfigs(g.columns())
	t.AppendHeader(row(g.header))
	for _, r := range g.rows {
		t.AppendRow(row(r))
	}
	if g.footer != nil {
		t.AppendFooter(row(g.footer))
	}
	return trimLines(t.Render())
}

func textTableStyle() table.Style {
	style := table.StyleDefault
	style.Box = table.BoxStyle{
		PaddingRight:     columnGap,
		MiddleHorizontal: "-",
		MiddleSeparator:  "-",
	}
	style.Format = table.FormatOptions{}
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	return style
}

func (g *textTable) columns() []table.ColumnConfig {
	columns := make([]table.ColumnConfig, len(g.header))
	for i := range columns {
		columns[i] = alignment(i+1, text.AlignRight)
	}
	columns[0] = alignment(1, text.AlignLeft)
	for _, i := range g.left {
		columns[i] = alignment(i+1, text.AlignLeft)
	}
	return columns
}

func alignment(number int, align text.Align) table.ColumnConfig {
	return table.ColumnConfig{
		Number: number,
		Align:  align, AlignHeader: align, AlignFooter: align,
		VAlignHeader: text.VAlignBottom,
	}
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}

// trimLines takes the last column's gap off every line and off the rules, which go-pretty
// also draws below the gap.
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
