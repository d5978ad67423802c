package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"getio/record"
	"getio/report"
	"getio/report/chart"
	"getio/report/html"
	"getio/report/image"
	"getio/report/study"
)

type reportFlags struct {
	out    string
	format string
	chart  string
	curve  string
	view   image.View
}

// subjectMatter is what a report is written of.
type subjectMatter struct {
	study *study.Study
	lines []json.RawMessage // the records as they are
	chart *chart.Chart      // nil for formats of whole studies
	view  image.View
}

// reportFormat is a way to write a study or a chart of it.
type reportFormat struct {
	name       string
	extensions []string // of files that are in it; the first is the usual one
	ofChart    bool     // one chart is written
	drawn      bool     // a picture, of which there are views
	binary     bool     // no terminal can show it
	write      func(io.Writer, subjectMatter) error
}

// reportFormats begin with the one that is taken where nothing says which.
var reportFormats = []reportFormat{
	{name: "md", extensions: []string{".md", ".markdown"},
		write: func(w io.Writer, m subjectMatter) error { return report.Markdown(w, m.study) }},
	{name: "html", extensions: []string{".html", ".htm"},
		write: func(w io.Writer, m subjectMatter) error { return html.Write(w, m.study, m.lines) }},
	{name: "svg", extensions: []string{".svg"}, ofChart: true, drawn: true,
		write: func(w io.Writer, m subjectMatter) error { return image.SVG(w, m.chart, m.view) }},
	{name: "png", extensions: []string{".png"}, ofChart: true, drawn: true, binary: true,
		write: func(w io.Writer, m subjectMatter) error { return image.PNG(w, m.chart, m.view) }},
	{name: "csv", extensions: []string{".csv"}, ofChart: true,
		write: func(w io.Writer, m subjectMatter) error { return m.chart.WriteCSV(w) }},
	{name: "benchfmt", extensions: []string{".bench"},
		write: func(w io.Writer, m subjectMatter) error { return report.Benchmarks(w, m.study) }},
}

func formatNames() string {
	var names []string
	for _, f := range reportFormats {
		names = append(names, f.name)
	}
	return orList(names)
}

func reportCommand() *cobra.Command {
	var r reportFlags
	c := &cobra.Command{
		Use:   "report RESULTS.jsonl...",
		Short: "Results as a page to look at, and as pictures, tables and data",
		Long: `report reads the records that sweep, compare, reproduce, chain measure and
compare-state keep and that --json prints, those of l0 too, of one database or of
several, and writes them as a page for browsers with all charts, figures and records
(one file, which needs no network), as findings and tables in Markdown, as one chart
in SVG or PNG, as the figures of a chart in CSV, or as Go benchmarks, of which
benchstat computes intervals and comparisons. The format is that of the file's
extension.

Charts of Gets: ios, index-hit and cache-hit over cache sizes and keys over the
number of keys, of all curves; misses (by component), reads (how many Gets made how
many), latency and windows (the course of each run), of one curve. Of comparisons:
compared, each side's I/Os per Get over cache sizes; their verdicts are findings. Of
a client's operations: operations over cache sizes, and l0, l0-block and l0-tx over
tables of L0. Of state databases: stores over shares of page cache, and stores-keys.

Of runs whose self-checks failed no figure is written, and the exit code says so. A
file that is there is replaced when the new one is whole.`,
		Example: `  getio report 10m.sweep.jsonl
  getio report 10m.sweep.jsonl -o 10m.html
  getio report 10m.sweep.jsonl -o curve.svg
  getio report small.jsonl medium.jsonl large.jsonl -o curves.png --share
  getio report both.jsonl -o both.svg --chart compared
  getio report l0.jsonl -o cliff.svg --chart l0-block
  getio report v1.jsonl v2.jsonl --format benchfmt | benchstat -table '' -col /engine -`,
		Args: recordFiles,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	f := c.Flags()
	f.StringVarP(&r.out, "out", "o", "", "file to write (default: standard output)")
	f.StringVar(&r.format, "format", "", formatNames()+" (default: by the file's extension, md without a file)")
	f.StringVar(&r.chart, "chart", "", "chart of a picture or of CSV: "+orList(chart.Names)+" (default: the first of these that the records have figures of)")
	f.StringVar(&r.curve, "curve", "", "curve of a chart that is of one curve")
	f.BoolVar(&r.view.Linear, "linear", false, "draw a linear axis where it is logarithmic by default")
	f.BoolVar(&r.view.Share, "share", false, "draw caches as shares of their databases, to compare databases of several sizes")
	return c
}

// recordFiles are the arguments of report.
func recordFiles(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("report takes files of records, as sweep, chain measure and others keep them, and none is named: see '%s --help'", c.CommandPath())
	}
	return nil
}

func (r *reportFlags) run(c *cobra.Command, files []string) error {
	format, err := r.chosen()
	if err != nil {
		return err
	}
	if err := r.check(c, format, files); err != nil {
		return err
	}
	var records record.Set
	for _, path := range files {
		if err := records.ReadFile(path); err != nil {
			return err
		}
	}
	matter := subjectMatter{study: study.New(records), lines: records.Lines, view: r.view}
	if format.ofChart {
		if matter.chart, err = r.pick(records, matter.study); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	switch err := format.write(&text, matter); {
	case errors.Is(err, image.ErrNothing):
		return undrawn(format, matter)
	case err != nil:
		return err
	case text.Len() == 0:
		return nothing(records, matter.study, fmt.Errorf("there is nothing to write as %s, which is of measurements of Gets alone: take another format", format.name))
	}
	if err := r.deliver(c, text.Bytes()); err != nil {
		return err
	}
	return requireHold(slices.Concat(records.Checks(), matter.study.Checks()))
}

// chosen is the format of --format, or else of the file's extension.
func (r *reportFlags) chosen() (*reportFormat, error) {
	extension := strings.ToLower(filepath.Ext(r.out))
	for i := range reportFormats {
		f := &reportFormats[i]
		if r.format == f.name || r.format == "" && (r.out == "" || slices.Contains(f.extensions, extension)) {
			return f, nil
		}
	}
	if r.format != "" {
		return nil, fmt.Errorf("--format %q is no format: take %s", r.format, formatNames())
	}
	return nil, fmt.Errorf("%s does not say by its extension what to write: say --format %s", r.out, formatNames())
}

// check refuses flags that the format has no use for, and places that it cannot be
// written to.
func (r *reportFlags) check(c *cobra.Command, format *reportFormat, files []string) error {
	for _, of := range []struct {
		flags []string
		has   bool
		what  string
	}{
		{[]string{"chart", "curve"}, format.ofChart, "a chart"},
		{[]string{"linear", "share"}, format.drawn, "a picture"},
	} {
		for _, flag := range of.flags {
			if c.Flags().Changed(flag) && !of.has {
				return fmt.Errorf("--%s is of %s, and %s is none: leave it out, or take another format", flag, of.what, format.name)
			}
		}
	}
	if r.chart != "" && !slices.Contains(chart.Names, r.chart) {
		return fmt.Errorf("--chart %q is no chart: take %s", r.chart, orList(chart.Names))
	}
	if r.out != "" {
		return r.checkOut(files)
	}
	if format.binary && isTerminal(c.OutOrStdout()) {
		return fmt.Errorf("%s is no text that a terminal could show: name a file with -o", format.name)
	}
	return nil
}

// checkOut refuses a file that is no file, or that is to be read.
func (r *reportFlags) checkOut(files []string) error {
	out, err := os.Stat(r.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return outError(r.out, nameless(err))
	case out.IsDir():
		return fmt.Errorf("%s is a directory: name a file in it with -o", r.out)
	case !out.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file: name one with -o, or leave it out to write to standard output", r.out)
	}
	for _, path := range files {
		if in, err := os.Stat(path); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("%s is one of the files of records, and would be lost: name another file with -o", r.out)
		}
	}
	return nil
}

func outError(path string, err error) error {
	return fmt.Errorf("%s cannot be written (%w): name another file with -o", path, err)
}

// deliver writes to the file, if one is named, or to standard output.
func (r *reportFlags) deliver(c *cobra.Command, text []byte) error {
	if r.out == "" {
		_, err := c.OutOrStdout().Write(text)
		return err
	}
	if err := replaceFile(r.out, text); err != nil {
		return outError(r.out, err)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "Report: %s\n", r.out)
	return err
}
