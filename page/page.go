// Package page writes a study as one HTML file that needs nothing else: what was
// found, the charts with their data, and how every figure came about. It opens from a
// disk, asks no network for anything, and runs no script but its own, whatever the
// names in the records are.
//
// The charts are drawn by uPlot (https://github.com/leeoniya/uPlot, MIT), version
// 1.6.32, which is kept in the directory uplot.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"strings"

	"getio/chart"
	"getio/record"
	"getio/study"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed uplot/uPlot.min.css
var uplotCSS string

//go:embed uplot/uPlot.iife.min.js
var uplotJS string

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

var page = template.Must(template.New("page").Parse(pageHTML))

// document is what the template says.
type document struct {
	Title   string
	Policy  template.HTMLAttr // content security policy
	Style   template.CSS
	Script  template.JS
	Curves  []curveView
	Made    string      // when the records were, and by what
	Data    template.JS // JSON of data
	Records template.JS // JSON of the lines as they are, each a text
}

// data is what the script draws.
type data struct {
	Charts []chart.Chart `json:"charts"`
	Curves []string      `json:"curves"` // names
	Light  chart.Palette `json:"light"`
	Dark   chart.Palette `json:"dark"`
	Kinds  []kind        `json:"kinds"` // of lines
}

// kind is a kind of line, and its words.
type kind struct {
	Kind  chart.Kind `json:"kind"`
	Words string     `json:"words"`
}

var kinds = []kind{
	{chart.Measured, "measured"}, {chart.Rest, "after more Gets"}, {chart.Predicted, "predicted"},
	{chart.Published, "published"}, {chart.Reference, "for comparison"},
}

// Write writes the page of a study, and puts its records into it as they are.
func Write(w io.Writer, s *study.Study, records []json.RawMessage) error {
	doc := document{
		Title: title(s), Made: made(s),
		Style: template.CSS(uplotCSS + pageCSS), Script: template.JS(strings.Join([]string{uplotJS, figuresJS, glyphsJS, ticksJS, chartJS, pageJS}, "\n")),
	}
	doc.Policy = policy(string(doc.Style), string(doc.Script))
	d := data{Charts: chart.All(s), Curves: []string{}, Light: chart.Light, Dark: chart.Dark, Kinds: kinds}
	for i, c := range s.Curves {
		d.Curves = append(d.Curves, c.Name)
		doc.Curves = append(doc.Curves, newCurveView(i, c))
	}
	lines := []string{}
	for _, r := range records {
		lines = append(lines, string(r))
	}
	var err error
	if doc.Data, err = inScript(d); err != nil {
		return err
	}
	if doc.Records, err = inScript(lines); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := page.Execute(&out, doc); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// inScript is a value as JSON that ends no element of a page: encoding/json escapes <,
// > and & in texts.
func inScript(v any) (template.JS, error) {
	text, err := json.Marshal(v)
	return template.JS(text), err
}

// policy allows the page's own style and script, and nothing from anywhere.
func policy(style, script string) template.HTMLAttr {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return template.HTMLAttr(`content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src ` + hash(style) + `; script-src ` + hash(script) + `"`)
}

// title names the curves, as many as a title has room for.
func title(s *study.Study) string {
	var names []string
	for _, c := range s.Curves {
		names = append(names, c.Name)
	}
	const most = 4
	if len(names) > most {
		names = append(names[:most-1], "and others")
	}
	return s.Say("I/Os per Get: ") + strings.Join(names, ", ")
}

// made says when the records were, and by which versions of getio.
func made(s *study.Study) string {
	var all []*record.Result
	predictions := 0
	for _, c := range s.Curves {
		all = append(all, c.Measurements()...)
		predictions += len(c.Predictions)
	}
	return madeText(all, predictions)
}
