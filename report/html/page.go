// Package html writes a study as one HTML file: findings, charts with their data, and the provenance of every figure.
// The file needs no network and runs no script but its own, whatever names the records hold.
package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tsenart/vegeta/v12/lib/plot"

	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/report/chart"
	"getio/report/study"
)

//go:embed page.html page.css *.js uplot-license.txt
var files embed.FS

// file returns the text of an embedded file.
func file(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // as a mistake in code would
	}
	return string(text)
}

var pageTemplate = template.Must(template.New("page").Parse(file("page.html")))

// document is the data of the template.
type document struct {
	Title string
	// Unfinished names an unfinished comparison; empty if there is none.
	Unfinished string
	Policy     template.HTMLAttr // content security policy
	Style      template.CSS
	Script     template.JS
	Curves     []curveView
	Others     []report.Section
	Found      int         // how many of these and of the curves something was found of
	Charts     bool        // there are any
	Caches     bool        // some of them are over cache sizes
	Made       string      // when the records were, and by what
	Data       template.JS // JSON of data
	Records    template.JS // JSON of the lines as they are, each a text
}

// data is what the script draws.
type data struct {
	Charts []chart.Chart `json:"charts"`
	Curves []string      `json:"curves"` // names
	Light  chart.Palette `json:"light"`
	Dark   chart.Palette `json:"dark"`
	Kinds  []kind        `json:"kinds"` // of lines
}

type kind struct {
	Kind  chart.Kind `json:"kind"`
	Words string     `json:"words"`
}

var kinds = []kind{
	{chart.Measured, "measured"}, {chart.Continued, "after more Gets"}, {chart.Predicted, "predicted"},
	{chart.Published, "published"}, {chart.Reference, "for comparison"},
}

// Write writes the page of a study with its records as they are.
func Write(w io.Writer, s *study.Study, records []json.RawMessage) error {
	others, err := report.Sections(s)
	if err != nil {
		return err
	}
	doc := document{
		Title: title(s), Unfinished: report.Unfinished(s), Made: made(s), Others: others,
		Style: template.CSS(vegetaAsset("uPlot.min.css") + file("page.css")),
		Script: template.JS(strings.Join([]string{
			"/*! uPlot\n\n" + file("uplot-license.txt") + "*/\n" + vegetaAsset("uPlot.min.js"),
			file("figures.js"), file("glyphs.js"), file("ticks.js"), file("chart.js"), file("page.js")}, "\n")),
	}
	doc.Policy = policy(string(doc.Style), string(doc.Script))
	d := data{Charts: chart.All(s), Curves: []string{}, Light: chart.Light, Dark: chart.Dark, Kinds: kinds}
	doc.Charts = len(d.Charts) > 0
	doc.Caches = slices.ContainsFunc(d.Charts, func(c chart.Chart) bool { return c.X.Unit == chart.CacheBytes })
	for i, c := range s.Curves {
		d.Curves = append(d.Curves, c.Name)
		doc.Curves = append(doc.Curves, newCurveView(i, c))
	}
	for _, section := range others {
		if len(section.Findings) > 0 {
			doc.Found++
		}
	}
	doc.Found += len(doc.Curves)
	lines := []string{}
	for _, r := range records {
		lines = append(lines, string(r))
	}
	if doc.Data, err = inScript(d); err != nil {
		return err
	}
	if doc.Records, err = inScript(lines); err != nil {
		return err
	}
	return pageTemplate.Execute(w, doc)
}

// inScript returns a value as JSON that cannot end an element of the page: encoding/json escapes <, > and &.
func inScript(v any) (template.JS, error) {
	text, err := json.Marshal(v)
	return template.JS(text), err
}

// policy allows the page's own style and script, and nothing else.
func policy(style, script string) template.HTMLAttr {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return template.HTMLAttr(`content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src ` + hash(style) + `; script-src ` + hash(script) + `"`)
}

// title names the parts of the study, as many as fit a title.
func title(s *study.Study) string {
	var names []string
	for _, c := range s.Curves {
		names = append(names, c.Name)
	}
	for _, c := range s.Comparisons {
		names = append(names, "comparison with "+c.Name)
	}
	for _, c := range s.Chains {
		names = append(names, c.Name)
	}
	for _, l := range s.Level0s {
		names = append(names, "tables of L0 on "+l.Name)
	}
	if len(s.Stores) > 0 {
		names = append(names, "state databases")
	}
	const most = 4
	if len(names) > most {
		names = append(names[:most-1], "and others")
	}
	return report.Title(s) + ": " + strings.Join(names, ", ")
}

// made counts measurements, compared figures and predictions, and gives their dates.
func made(s *study.Study) string {
	var times []time.Time
	predictions, compared := 0, 0
	for _, c := range s.Curves {
		times = timesOf(times, c.Measurements(), func(r *record.Result) time.Time { return r.Time })
		predictions += len(c.Predictions)
	}
	for _, c := range s.Chains {
		times = timesOf(times, c.Runs, func(r *record.Chain) time.Time { return r.Time })
	}
	for _, l := range s.Level0s {
		times = timesOf(times, l.Runs, func(r *record.Level0) time.Time { return r.Time })
	}
	for _, stores := range s.Stores {
		times = timesOf(times, stores.Runs, func(r *record.State) time.Time { return r.Time })
	}
	measurements := len(times)
	for _, c := range s.Comparisons {
		times = timesOf(times, c.Lines, func(l *record.Comparison) time.Time { return l.Time })
		compared += len(c.Lines)
	}
	text := units.Join(
		units.If(measurements > 0 || compared+predictions == 0, units.Plural(int64(measurements), "measurement")),
		units.If(compared > 0, units.Plural(int64(compared), "compared figure")),
		units.If(predictions > 0, units.Plural(int64(predictions), "prediction")))
	if len(times) > 0 {
		const day = "2 January 2006"
		first, last := slices.MinFunc(times, time.Time.Compare).Format(day), slices.MaxFunc(times, time.Time.Compare).Format(day)
		text += ", of " + first + units.If(first != last, " to "+last)
	}
	return text + "."
}

func timesOf[R any](times []time.Time, records []R, of func(R) time.Time) []time.Time {
	for _, r := range records {
		times = append(times, of(r))
	}
	return times
}

// vegetaAsset returns a file that vegeta embeds. The charts are drawn by uPlot 1.6.32 (https://github.com/leeoniya/uPlot).
// It comes from the module of vegeta, which ships it, so that go.sum checks it and a build needs nothing but Go. Its
// licence asks for the text to go with every copy.
func vegetaAsset(name string) string {
	f, err := plot.Assets.Open(name)
	if err != nil {
		panic("vegeta no longer embeds " + name + ": " + err.Error())
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		panic(err)
	}
	return string(text)
}

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
		Runs:    figures("Figures by cache", c, report.CurveTable(c)),
		About:   table{Caption: "How the figures came about", Of: c.Name, Header: []string{"What", "Value"}},
		Options: table{Caption: "Effective options", Of: c.Name, Header: []string{"Option", "Value"}},
	}
	if shape := c.Shape(); shape != nil {
		v.Levels = figures("The tree, level by level", c, report.Levels(shape))
	}
	for _, fact := range report.Provenance(c) {
		v.About.Rows = append(v.About.Rows, []string{fact.Label, fact.Text})
	}
	if runs := c.Measurements(); len(runs) > 0 {
		of := runs[0].Engine.Options
		for _, name := range slices.Sorted(maps.Keys(of)) {
			v.Options.Rows = append(v.Options.Rows, []string{name, of[name]})
		}
	}
	v.checks(c)
	return v
}

func figures(caption string, c *study.Curve, of *report.Table) table {
	header, rows := of.Document()
	return table{Caption: caption, Of: c.Name, Header: header, Rows: rows}
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
