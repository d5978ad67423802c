// Package html writes a study as one HTML file: findings, charts with their data, and the
// provenance of every figure. The file needs no network and runs no script but its own,
// whatever names the records hold.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"getio/record"
	"getio/report"
	"getio/report/chart"
	"getio/report/study"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed figures.js
var figuresJS string

//go:embed glyphs.js
var glyphsJS string

//go:embed ticks.js
var ticksJS string

//go:embed chart.js
var chartJS string

//go:embed page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

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

// kind is a kind of line and its words.
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
		Style: template.CSS(uplotCSS() + pageCSS), Script: template.JS(strings.Join([]string{uplotJS(), figuresJS, glyphsJS, ticksJS, chartJS, pageJS}, "\n")),
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
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, doc); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// inScript returns a value as JSON that cannot end an element of the page: encoding/json
// escapes <, > and &.
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

// made says how many records there are, and from when.
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
	return madeText(times, measurements, compared, predictions)
}

func timesOf[R any](times []time.Time, records []R, of func(R) time.Time) []time.Time {
	for _, r := range records {
		times = append(times, of(r))
	}
	return times
}
