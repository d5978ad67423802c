package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/numbers/units"
	"getio/record"
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
		Long: `report reads records that were kept with --out or printed with --json, by these
commands: sweep, compare, reproduce, l0, 'chain measure', compare-state. The records may
describe several databases; "-" is standard input. The file's extension chooses the format:

  .html   a page for browsers with all charts, figures and records in one file
  .md     findings and tables in Markdown
  .svg    one chart; .png too
  .csv    the figures of one chart
  .bench  Go benchmarks, for benchstat

Charts:

  ios, index-hit, cache-hit       I/Os per Get and hit rates, by cache size
  keys                            I/Os per Get, by number of keys
  misses                          reads by component (choose one with --curve)
  reads                           distribution of reads per Get (of one curve)
  latency, windows                latency, the course of each run (of one curve)
  compared                        each side's I/Os per Get
  operations                      reads per operation of a client, by cache size
  l0, l0-block, l0-tx             reads per operation, by number of tables in L0
  stores, stores-keys             state databases

Runs whose self-checks failed show no figures, and the exit code is not 0. An existing
file is replaced once the new one is complete.`,
		Example: `  getio report 10m.sweep.jsonl
  getio report 10m.sweep.jsonl -o 10m.html
  getio report 10m.sweep.jsonl -o curve.svg
  getio report small.jsonl medium.jsonl large.jsonl -o curves.png --share
  getio report both.jsonl -o both.svg --chart compared
  getio report l0.jsonl -o cliff.svg --chart l0-block
  getio measure data/10m --cache 12MiB --json | getio report - --format csv
  getio report v1.jsonl v2.jsonl --format benchfmt | \
      benchstat -table '' -col /engine -`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("report needs a file of records, such as sweep keeps: see '%s --help'", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	f := c.Flags()
	f.StringVarP(&r.out, "out", "o", "", "file to write (default: standard output)")
	f.StringVar(&r.format, "format", "", units.Or(format.Names())+" (default: by the file's extension, md without a file)")
	f.StringVar(&r.options.Chart, "chart", "", "chart of a picture or of CSV: "+units.Or(chart.Names)+" (default: the first of these that the records have figures for)")
	f.StringVar(&r.options.Curve, "curve", "", "name of the curve, for charts that show one")
	f.BoolVar(&r.options.View.Linear, "linear", false, "draw a linear axis where it is logarithmic by default")
	f.BoolVar(&r.options.View.Share, "share", false, "draw caches as shares of their databases, to compare databases of several sizes")
	return c
}

func (r *reportFlags) run(c *cobra.Command, files []string) error {
	f, err := format.Named(r.format, r.out)
	if err != nil {
		return misuse{err}
	}
	if err := f.Check(r.options); err != nil {
		return misuse{err}
	}
	if r.out == "" && f.Binary && terminal.IsTerminal(c.OutOrStdout()) {
		return misused("a terminal cannot show %s: choose a file with -o", f.Name)
	}
	if err := atomicfile.CheckOutput(r.out, "-o", files); err != nil {
		return err
	}
	var records record.Set
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
