package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// columnGap is the space between two columns of a table.
const columnGap = "  "

// proseWidth is the least width of a column of prose.
const proseWidth = 24

// fit renders the table as text of at most width columns, without lines between columns or rows: one rule
// below the header and one above the footer. missing are the names of the columns that did not fit.
func (t *Table) fit(width int) (lines string, missing []string) {
	t = t.on(onTerminals)
	out := t.noRoom(width)
	for i, h := range t.columns {
		if slices.Contains(out, i) {
			name := strings.ReplaceAll(strings.ReplaceAll(h.name, "-\n", ""), "\n", " ")
			missing = append(missing, strings.TrimSpace(strings.ReplaceAll(name, " /", "/")))
		}
	}
	return t.without(func(i int, _ heading) bool { return slices.Contains(out, i) }).render(width), slices.Compact(missing)
}

// widths are those of the columns' longest lines.
func (t *Table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, h := range t.columns {
		widths[i] = text.LongestLineLen(h.name)
		for _, cells := range t.rows {
			widths[i] = max(widths[i], text.LongestLineLen(cells[i]))
		}
		if t.footer != nil {
			widths[i] = max(widths[i], text.LongestLineLen(t.footer[i]))
		}
	}
	return widths
}

// noRoom returns the spare columns to leave out.
func (t *Table) noRoom(width int) (out []int) {
	var spare []int
	taken := -len(columnGap)
	widths := t.widths()
	for i, h := range t.columns {
		if h.prose {
			widths[i] = min(widths[i], proseWidth)
		}
		if taken += widths[i] + len(columnGap); h.spare > 0 {
			spare = append(spare, i)
		}
	}
	slices.SortFunc(spare, func(a, b int) int { return cmp.Compare(t.columns[a].spare, t.columns[b].spare) })
	for _, i := range spare {
		if taken <= width {
			break
		}
		out, taken = append(out, i), taken-widths[i]-len(columnGap)
	}
	return out
}

func (t *Table) render(width int) string {
	out := table.NewWriter()
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: columnGap, MiddleHorizontal: "-", MiddleSeparator: "-"}
	style.Format = table.FormatOptions{}
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	out.SetStyle(style)
	var header table.Row
	var configs []table.ColumnConfig
	widths := t.widths()
	over := -len(columnGap) - width
	for _, w := range widths {
		over += w + len(columnGap)
	}
	for i, h := range t.columns {
		align := text.AlignRight
		if i == 0 || h.text {
			align = text.AlignLeft
		}
		c := table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align, VAlignHeader: text.VAlignBottom}
		if h.prose {
			c.WidthMax, c.WidthMaxEnforcer = max(proseWidth, widths[i]-max(0, over)), text.WrapSoft
		}
		header, configs = append(header, h.name), append(configs, c)
	}
	out.SetColumnConfigs(configs)
	out.AppendHeader(header)
	for _, cells := range t.rows {
		out.AppendRow(row(cells))
	}
	if t.footer != nil {
		out.AppendFooter(row(t.footer))
	}
	return trimLines(out.Render())
}

func row(cells []string) (r table.Row) {
	for _, c := range cells {
		r = append(r, c)
	}
	return r
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
