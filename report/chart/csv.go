package chart

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteCSV writes one line per point: kind, line, X under the name of its unit, share of
// the database, Y under the name of its unit, its 95% confidence interval, and whether
// the run was steady. A chart of comparisons adds the base, the verdict, and the ratio
// with its interval. Unknown values are empty.
func (c *Chart) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	write := func(cells []string) {
		for i, c := range cells {
			cells[i] = strings.Map(printable, c) // names come from records, and may be hostile
		}
		out.Write(cells)
	}
	header := []string{"kind", "line", string(c.X.Unit), "share_of_db", string(c.Y.Unit), "low", "high", "steady"}
	if c.Verdicts {
		header = append(header, "base", "verdict", "ratio", "ratio_low", "ratio_high")
	}
	write(header)
	for _, l := range c.Lines {
		for _, p := range l.Points {
			cells := []string{string(l.Kind), l.Name, number(&p.X), number(p.Share), number(&p.Y), number(p.Low), number(p.High), truth(p.Steady)}
			if c.Verdicts {
				v := p.Verdict
				if v == nil {
					v = &Verdict{}
				}
				cells = append(cells, v.Base, v.Verdict, number(v.Ratio), number(v.Low), number(v.High))
			}
			write(cells)
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

// number writes a figure with all its digits, as JSON does.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	text, _ := json.Marshal(*v) // finite: records are JSON
	return string(text)
}

func truth(v *bool) string {
	if v == nil {
		return ""
	}
	return strconv.FormatBool(*v)
}
