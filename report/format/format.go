// Package format chooses how records become a file, by the file's extension or a format's name: a study
// as Markdown or Go benchmarks (package report) or as an HTML page (html), or one chart of it as SVG,
// PNG or PDF (image) or as CSV (chart).
package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/report/chart"
	"getio/report/html"
	"getio/report/image"
	"getio/report/study"
)

// Format is a file format.
type Format struct {
	Name       string
	Binary     bool     // unreadable on a terminal
	extensions []string // of files in it
	ofChart    bool     // holds one chart
	drawn      bool     // a picture, which has views
	write      func(io.Writer, content) error
}

// content is what a format is written from.
type content struct {
	study   *study.Study
	records record.Set
	chart   *chart.Chart // nil for formats that hold the study
	view    image.View
}

// formats begin with the default one.
var formats = []Format{
	{Name: "md", extensions: []string{".md", ".markdown"},
		write: func(w io.Writer, c content) error { return report.Markdown(w, c.study) }},
	{Name: "html", extensions: []string{".html", ".htm"},
		write: func(w io.Writer, c content) error { return html.Write(w, c.study, c.records.Lines) }},
	{Name: "svg", extensions: []string{".svg"}, ofChart: true, drawn: true,
		write: func(w io.Writer, c content) error { return image.SVG(w, c.chart, c.view) }},
	{Name: "png", extensions: []string{".png"}, ofChart: true, drawn: true, Binary: true,
		write: func(w io.Writer, c content) error { return image.PNG(w, c.chart, c.view) }},
	{Name: "pdf", extensions: []string{".pdf"}, ofChart: true, drawn: true, Binary: true,
		write: func(w io.Writer, c content) error { return image.PDF(w, c.chart, c.view) }},
	{Name: "csv", extensions: []string{".csv"}, ofChart: true,
		write: func(w io.Writer, c content) error { return c.chart.WriteCSV(w) }},
	{Name: "benchfmt", extensions: []string{".bench"},
		write: func(w io.Writer, c content) error { return report.Benchmarks(w, c.study) }},
}

// Names lists the formats.
func Names() []string { return namesOf(func(*Format) bool { return true }) }

func namesOf(fits func(*Format) bool) (names []string) {
	for i := range formats {
		if fits(&formats[i]) {
			names = append(names, formats[i].Name)
		}
	}
	return names
}

// Named returns the format of a name or, if it is empty, of the file's extension. Without a file it is Markdown.
func Named(name, path string) (*Format, error) {
	extension := strings.ToLower(filepath.Ext(path))
	for i := range formats {
		f := &formats[i]
		if name == f.Name || name == "" && (path == "" || slices.Contains(f.extensions, extension)) {
			return f, nil
		}
	}
	if name != "" {
		return nil, fmt.Errorf("unknown --format %q: use %s", name, units.Or(Names()))
	}
	return nil, fmt.Errorf("the extension of %s names no format: add --format %s", path, units.Or(Names()))
}

// Options choose a chart and how it is drawn.
type Options struct {
	Chart string // empty: the first that the records have figures for
	Curve string // of a chart that shows one curve; empty: the only one
	View  image.View
}

// Check returns an error if the format does not have what the options choose.
func (f *Format) Check(o Options) error {
	for _, option := range []struct {
		flag  string
		given bool
		fits  func(*Format) bool
	}{
		{"chart", o.Chart != "", func(f *Format) bool { return f.ofChart }},
		{"curve", o.Curve != "", func(f *Format) bool { return f.ofChart }},
		{"linear", o.View.Linear, func(f *Format) bool { return f.drawn }},
		{"share", o.View.Share, func(f *Format) bool { return f.drawn }},
	} {
		if option.given && !option.fits(f) {
			return fmt.Errorf("--%s is for %s, not for %s: name such a file with --out, or leave --%s out", option.flag, units.Or(namesOf(option.fits)), f.Name, option.flag)
		}
	}
	if o.Chart != "" && !slices.Contains(chart.Names, o.Chart) {
		return fmt.Errorf("unknown --chart %q: use %s", o.Chart, units.Or(chart.Names))
	}
	return nil
}

// Write returns the records in the format, and their self-checks. It returns an error if there is nothing to write.
func (f *Format) Write(records record.Set, o Options) (text []byte, checks record.Checks, err error) {
	c := content{study: study.New(records), records: records, view: o.View}
	checks = slices.Concat(records.Checks(), c.study.Checks())
	if f.ofChart {
		c.chart, err = o.pick(c.study)
		if errors.Is(err, errNoCharts) {
			err = nothing(checks, err)
		}
		if err != nil {
			return nil, checks, err
		}
	}
	var out bytes.Buffer
	switch err := f.write(&out, c); {
	case errors.Is(err, image.ErrNothing):
		return nil, checks, f.undrawn(c)
	case err != nil:
		return nil, checks, err
	case out.Len() == 0:
		return nil, checks, nothing(checks, fmt.Errorf("there is nothing to write: %s holds measurements of Gets only; choose another format", f.Name))
	}
	return out.Bytes(), checks, nil
}

// nothing returns why there is nothing to write: failed self-checks, otherwise err.
func nothing(checks record.Checks, err error) error {
	if failed := checks.Err(); failed != nil {
		return fmt.Errorf("there is nothing to show: %w", failed)
	}
	return err
}

// errNoCharts is the error of records without figures for any chart.
var errNoCharts = errors.New("there is nothing to show, as no record has figures for a chart: choose other files")

// pick returns the chart of a study that the options choose.
func (o *Options) pick(s *study.Study) (*chart.Chart, error) {
	all := chart.All(s)
	if len(all) == 0 {
		return nil, errNoCharts
	}
	name := cmp.Or(o.Chart, all[0].Name)
	named := slices.DeleteFunc(slices.Clone(all), func(c chart.Chart) bool { return c.Name != name })
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("the records have no figures for the chart %s: use %s", name, units.Or(names(all)))
	case o.View.Share && named[0].X.Unit != chart.CacheBytes:
		return nil, fmt.Errorf("--share applies to charts over cache sizes, which %s is not: leave it out", name)
	case named[0].Curve != nil:
		return o.pickCurve(named, s)
	case o.Curve != "":
		return nil, fmt.Errorf("--curve applies to charts of one curve, and %s shows all of them: leave it out", name)
	}
	return &named[0], nil
}

// names returns the names of charts, each once.
func names(charts []chart.Chart) (names []string) {
	for _, c := range charts {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// pickCurve returns the chart, among those of one name, that shows the curve of the options, or the only one.
func (o *Options) pickCurve(charts []chart.Chart, s *study.Study) (*chart.Chart, error) {
	var curves []string
	for i := range charts {
		name := s.Curves[*charts[i].Curve].Name
		if name == o.Curve || o.Curve == "" && len(charts) == 1 {
			return &charts[i], nil
		}
		curves = append(curves, fmt.Sprintf("%q", name))
	}
	if o.Curve != "" {
		return nil, fmt.Errorf("no curve of the chart %s is named %q: use --curve %s", charts[0].Name, o.Curve, units.Or(curves))
	}
	return nil, fmt.Errorf("the chart %s shows one curve, and the records have %d: add --curve %s", charts[0].Name, len(curves), units.Or(curves))
}

// undrawn returns an error that says in which view a chart can be drawn that is empty in this one.
func (f *Format) undrawn(c content) error {
	asked := c.view
	for _, other := range []struct {
		view image.View
		how  string
	}{
		{image.View{Linear: asked.Linear}, "leave out --share"},
		{image.View{Linear: true, Share: asked.Share}, "add --linear"},
		{image.View{Linear: true}, "leave out --share and add --linear"},
	} {
		if c.view = other.view; f.write(io.Discard, c) == nil {
			return fmt.Errorf("chart %s: %w on these axes: %s", c.chart.Name, image.ErrNothing, other.how)
		}
	}
	return fmt.Errorf("chart %s: %w on any axes: use --format csv, which has all figures", c.chart.Name, image.ErrNothing)
}
