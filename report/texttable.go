package report

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// columnGap is the space between two columns of a table.
const columnGap = "  "

// textTable is a table of text, at most Width columns wide. The first column is aligned to the left,
// the others to the right.
type textTable struct {
	header []string // a cell may have several lines
	rows   [][]string
	footer []string // nil for none
	left   []int    // further columns to align to the left, from 0
	spare  []int    // columns to leave out where there is no room, the least important first
	prose  int      // a column whose texts continue on further lines where there is no room; 0 for none
}

func (g *textTable) add(cells ...string) { g.rows = append(g.rows, cells) }

// String renders the table without lines between columns or rows: one rule below the
// header and one above the footer. Columns that are left out are named below it.
func (g *textTable) String() string {
	widths := g.widths()
	out := g.leftOut(widths)
	t := table.NewWriter()
	t.SetStyle(textTableStyle())
	t.SetColumnConfigs(g.columns(widths, out))
	t.AppendHeader(row(g.header, out))
	for _, r := range g.rows {
		t.AppendRow(row(r, out))
	}
	if g.footer != nil {
		t.AppendFooter(row(g.footer, out))
	}
	return trimLines(t.Render()) + g.missing(out)
}

// widths are those of the columns' longest lines.
func (g *textTable) widths() []int {
	widths := make([]int, len(g.header))
	for _, cells := range append([][]string{g.header, g.footer}, g.rows...) {
		for i, c := range cells {
			widths[i] = max(widths[i], text.LongestLineLen(c))
		}
	}
	return widths
}

// taken is how wide a table of the columns is that are not left out.
func taken(widths []int, out []int) int {
	sum := -len(columnGap)
	for i, w := range widths {
		if !slices.Contains(out, i) {
			sum += w + len(columnGap)
		}
	}
	return sum
}

// proseWidth is the least width of a column of prose.
const proseWidth = 24

// leftOut are the spare columns for which there is no room.
func (g *textTable) leftOut(widths []int) []int {
	least := slices.Clone(widths)
	if g.prose > 0 {
		least[g.prose] = min(least[g.prose], proseWidth)
	}
	n := 0
	for n < len(g.spare) && taken(least, g.spare[:n]) > Width {
		n++
	}
	return g.spare[:n]
}

// missing names the columns that are left out.
func (g *textTable) missing(out []int) string {
	if len(out) == 0 {
		return ""
	}
	var names []string
	for _, i := range slices.Sorted(slices.Values(out)) {
		name := strings.ReplaceAll(strings.ReplaceAll(g.header[i], "-\n", ""), "\n", " ")
		names = append(names, strings.TrimSpace(strings.ReplaceAll(name, " /", "/")))
	}
	return Prose("Columns left out for lack of space: " + strings.Join(slices.Compact(names), ", ") + ". --json prints all columns.")
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

func (g *textTable) columns(widths, out []int) []table.ColumnConfig {
	var columns []table.ColumnConfig
	for i := range g.header {
		if slices.Contains(out, i) {
			continue
		}
		align := text.AlignRight
		if i == 0 || slices.Contains(g.left, i) {
			align = text.AlignLeft
		}
		c := alignment(len(columns)+1, align)
		if i == g.prose && i > 0 {
			c.WidthMax = max(proseWidth, widths[i]-max(0, taken(widths, out)-Width))
			c.WidthMaxEnforcer = text.WrapSoft
		}
		columns = append(columns, c)
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

// row is a row without the columns that are left out.
func row(cells []string, out []int) table.Row {
	var r table.Row
	for i, c := range cells {
		if !slices.Contains(out, i) {
			r = append(r, c)
		}
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
