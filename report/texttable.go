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
	width := max(text.LongestLineLen(c.name), text.LongestLineLen(c.footer))
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
	var header, last table.Row
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
		header, last, configs = append(header, c.name), append(last, c.footer), append(configs, config)
	}
	out.SetColumnConfigs(configs)
	out.AppendHeader(header)
	for _, cells := range rowsOf(columns) {
		var row table.Row
		for _, s := range cells {
			row = append(row, s)
		}
		out.AppendRow(row)
	}
	if footer {
		out.AppendFooter(last)
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
