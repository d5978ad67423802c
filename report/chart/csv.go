package chart

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"unicode"
)

func (c *Chart) csvColumns() (columns []csvColumn) {
	columns = []csvColumn{
		{"kind", func(l *Line, _ Point) string { return string(l.Kind) }},
		{"line", func(l *Line, _ Point) string { return l.Name }},
		{string(c.X.Unit), func(_ *Line, p Point) string { return number(&p.X) }},
		{"share_of_db", func(_ *Line, p Point) string { return number(p.Share) }},
		{string(c.Y.Unit), func(_ *Line, p Point) string { return number(&p.Y) }},
		{"low", func(_ *Line, p Point) string { return number(p.Low) }},
		{"high", func(_ *Line, p Point) string { return number(p.High) }},
		{"steady", func(_ *Line, p Point) string { return number(p.Steady) }},
	}
	if !c.Verdicts {
		return columns
	}
	compared := func(name string, of func(*Verdict) string) csvColumn {
		return csvColumn{name, func(_ *Line, p Point) string {
			if p.Verdict == nil {
				return ""
			}
			return of(p.Verdict)
		}}
	}
	return append(columns,
		compared("base", func(v *Verdict) string { return v.Base }),
		compared("verdict", func(v *Verdict) string { return v.Verdict }),
		compared("ratio", func(v *Verdict) string { return number(v.Ratio) }),
		compared("ratio_low", func(v *Verdict) string { return number(v.Low) }),
		compared("ratio_high", func(v *Verdict) string { return number(v.High) }))
}

type csvColumn struct {
	name string
	of   func(*Line, Point) string
}

// WriteCSV writes one line per point: kind, line, X under the name of its unit, share of the database, Y under the name
// of its unit, its 95% confidence interval, and whether the run was steady. A chart of comparisons adds the base, the
// verdict, and the ratio with its interval. Unknown values are empty.
func (c *Chart) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	columns := c.csvColumns()
	write := func(cell func(csvColumn) string) {
		var cells []string
		for _, column := range columns {
			cells = append(cells, strings.Map(printable, cell(column))) // names come from records, and may be hostile
		}
		out.Write(cells)
	}
	write(func(column csvColumn) string { return column.name })
	for _, l := range c.Lines {
		for _, p := range l.Points {
			write(func(column csvColumn) string { return column.of(&l, p) })
		}
	}
	out.Flush()
	return out.Error()
}

// printable replaces escape codes and other characters that a terminal obeys by a sign, except line
// ends and tabs. The page writes the same CSV (report/html/figures.js).
func printable(r rune) rune {
	if (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) && r != '\n' && r != '\t' {
		return unicode.ReplacementChar
	}
	return r
}

// number writes a figure with all its digits, as JSON does, and whether something is true.
func number[V float64 | bool](v *V) string {
	if v == nil {
		return ""
	}
	text, _ := json.Marshal(*v) // finite: records are JSON
	return string(text)
}
