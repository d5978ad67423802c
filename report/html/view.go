package html

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/report/chart"
	"getio/report/study"
)

// curveView is one curve in words and tables.
type curveView struct {
	Number     int
	Name       string
	Colour     int // class of its swatch
	Findings   []string
	Runs       table
	Levels     table
	About      table
	Options    table
	Checks     []string // of runs whose self-checks failed
	ChecksHeld string   // how many held
	Warnings   []string
}

// table is text by rows; the first cell of each is its header.
type table struct {
	Caption string
	Of      string // the curve's name
	Header  []string
	Rows    [][]string
}

func newCurveView(i int, c *study.Curve) curveView {
	v := curveView{
		Number: i, Name: c.Name, Colour: i % len(chart.Light), Findings: report.Findings(c),
		Runs: runs(c), About: about(c), Options: options(c),
	}
	if shape := c.Shape(); shape != nil {
		v.Levels = levels(c, shape)
	}
	v.checks(c)
	return v
}

func runs(c *study.Curve) table {
	t := table{Caption: "Figures by cache", Of: c.Name}
	t.Header, t.Rows = report.CurveTable(c).Document()
	return t
}

func levels(c *study.Curve, s *record.Shape) table {
	t := table{Caption: "The tree, level by level", Of: c.Name}
	t.Header, t.Rows = report.Levels(s).Document()
	return t
}

func about(c *study.Curve) table {
	t := table{Caption: "How the figures came about", Of: c.Name, Header: []string{"What", "Value"}}
	for _, fact := range report.Provenance(c) {
		t.Rows = append(t.Rows, []string{fact.Label, fact.Text})
	}
	return t
}

func options(c *study.Curve) table {
	t := table{Caption: "Effective options", Of: c.Name, Header: []string{"Option", "Value"}}
	if runs := c.Measurements(); len(runs) > 0 {
		of := runs[0].Engine.Options
		for _, name := range slices.Sorted(maps.Keys(of)) {
			t.Rows = append(t.Rows, []string{name, of[name]})
		}
	}
	return t
}

func (v *curveView) checks(c *study.Curve) {
	held := 0
	for _, r := range c.Measurements() {
		for _, check := range r.Checks {
			if check.OK {
				held++
				continue
			}
			v.Checks = append(v.Checks, fmt.Sprintf("%s at %s: %s", check.Name, units.Size(r.Cache.Bytes), check.Detail))
		}
		if !r.Checks.Hold() {
			continue // a warning may have figures
		}
		for _, w := range r.Warnings {
			v.Warnings = append(v.Warnings, fmt.Sprintf("At %s: %s", units.Size(r.Cache.Bytes), w))
		}
	}
	if n := len(c.Measurements()); n > 0 {
		v.ChecksHeld = fmt.Sprintf("%s of %s held.", units.Plural(int64(held), "self-check"), units.Plural(int64(n), "measurement"))
	}
}

// madeText counts measurements, compared figures and predictions, and gives their dates.
func madeText(times []time.Time, measurements, compared, predictions int) string {
	var parts []string
	if measurements > 0 || compared+predictions == 0 {
		parts = append(parts, units.Plural(int64(measurements), "measurement"))
	}
	if compared > 0 {
		parts = append(parts, units.Plural(int64(compared), "compared figure"))
	}
	if predictions > 0 {
		parts = append(parts, units.Plural(int64(predictions), "prediction"))
	}
	text := strings.Join(parts, ", ")
	if len(times) == 0 {
		return text + "."
	}
	const day = "2 January 2006"
	first, last := slices.MinFunc(times, time.Time.Compare).Format(day), slices.MaxFunc(times, time.Time.Compare).Format(day)
	if first == last {
		return text + ", of " + first + "."
	}
	return text + ", of " + first + " to " + last + "."
}
