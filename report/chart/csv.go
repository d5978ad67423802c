package chart

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
)

// WriteCSV writes the points of a chart, one to a line below a header:
// how they came about, their line's name, the figure along the X axis under the name of its unit, the
// cache's share of the database, the figure under the name of its unit, its 95%
// confidence interval, and whether the run was steady. What is not known is empty.
func (c *Chart) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"kind", "line", string(c.X.Unit), "share_of_db", string(c.Y.Unit), "low", "high", "steady"})
	for _, l := range c.Lines {
		for _, p := range l.Points {
			out.Write([]string{string(l.Kind), l.Name, number(&p.X), number(p.Share), number(&p.Y), number(p.Low), number(p.High), truth(p.Steady)})
		}
	}
	out.Flush()
	return out.Error()
}

// number writes a figure with all its digits, as JSON has it.
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
