package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/usage"
	"getio/numbers/units"
	"getio/record"
	"getio/record/judge"
	"getio/report/chart"
	"getio/report/format"
	"getio/report/terminal"
	"getio/system/atomicfile"
)

type reportFlags struct {
	out     string
	format  string
	options format.Options
}

func reportCommand() *cobra.Command {
	var r reportFlags
	c := &cobra.Command{
		Use:   "report RESULTS.jsonl...",
		Short: "Write records as a page, pictures, tables or data",
		Long: `report turns records into a page, a picture, a table or data. Records come from --json,
or from the files that sweep, compare and others keep; "-" is standard input.

The extension of the output file chooses the format:

    .html   one page with all charts, figures and records
    .md     findings and tables
    .svg    one chart
    .png    one chart
    .pdf    one chart
    .csv    the figures of one chart
    .bench  Go benchmarks (benchfmt), for benchstat

docs/flags.md lists the charts.`,
		Example: `  getio report 10m.sweep.jsonl
  getio report 10m.sweep.jsonl -o 10m.html
  getio report 10m.sweep.jsonl -o curve.svg
  getio report small.jsonl medium.jsonl large.jsonl -o curves.png --share
  getio report both.jsonl -o both.svg --chart compared
  getio report l0.jsonl -o cliff.svg --chart l0-block
  getio measure data/10m --cache 12MiB --json | getio report - --format csv
  getio report v1.jsonl v2.jsonl --format benchfmt | \
      benchstat -table '' -col /engine -`,
		Args: usage.Some("report needs a file of records, such as sweep keeps: see '%s --help'"), ValidArgsFunction: records,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	f := c.Flags()
	f.VarP(flagvalue.Path(&r.out, flagvalue.KindFile), "out", "o", "file to write (default: standard output)")
	flagvalue.Choice(f, &r.format, "format", "", format.Names(), units.Or(format.Names())+" (default: by the extension of --out; without --out, md)")
	flagvalue.Choice(f, &r.options.Chart, "chart", "", chart.Names, "chart to draw: "+units.Or(chart.Names))
	f.StringVar(&r.options.Curve, "curve", "", "name of the curve to draw, for charts that show only one")
	f.BoolVar(&r.options.View.Linear, "linear", false, "draw linear axes")
	f.BoolVar(&r.options.View.Share, "share", false, "draw cache sizes as shares of the database")
	return c
}

func (r *reportFlags) run(c *cobra.Command, files []string) error {
	f, err := format.Named(r.format, r.out)
	if err != nil {
		return usage.Wrap(err)
	}
	if err := f.Check(r.options); err != nil {
		return usage.Wrap(err)
	}
	if r.out == "" && f.Binary && terminal.IsTerminal(c.OutOrStdout()) {
		return usage.Errorf("a terminal cannot show %s: choose a file with -o", f.Name)
	}
	if err := atomicfile.CheckOutput(r.out, "-o", files); err != nil {
		return err
	}
	records := judge.Set()
	for _, path := range files {
		if err := readRecords(c, &records, path); err != nil {
			return err
		}
	}
	text, checks, err := f.Write(records, r.options)
	if err != nil {
		return err
	}
	if r.out == "" {
		_, err = c.OutOrStdout().Write(text)
	} else if err = atomicfile.Replace(r.out, text); err != nil {
		err = atomicfile.CannotWrite(r.out, "-o", err)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "Report: %s\n", r.out)
	}
	if err != nil {
		return err
	}
	return checks.Err()
}

// readRecords reads a file of records, or standard input for "-".
func readRecords(c *cobra.Command, to *record.Set, path string) error {
	if path == "-" {
		return to.Read("standard input", c.InOrStdin())
	}
	return to.ReadFile(path)
}
