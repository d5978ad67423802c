package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/usage"
	"getio/numbers/units"
	"getio/record"
	"getio/record/judge"
	"getio/report"
)

type gateFlags struct {
	baseline string
	format   string
	maxRise  float64
	json     bool
}

func gateCommand() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate NEW.jsonl... --baseline BASE.jsonl",
		Short: "Check in CI that reads did not rise",
		Long: `gate compares records of measure and sweep with those of a baseline. It fails if I/Os or
bytes per Get, or the reads of a component, rose by more than --max-rise.

Exit codes:

  0  I/Os and bytes per Get did not rise by more than --max-rise, and no
     component is known to have
  4  one of these figures rose by more
  5  a run is too short or not steady, or its setting is in one file only
  3  a self-check failed

docs/ci.md shows how to use gate.`,
		Example: `  getio gate --baseline base.jsonl new.jsonl
  getio gate --baseline base.jsonl new.jsonl --max-rise 5% --format junit`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || f.baseline == "" {
				return fmt.Errorf("gate needs --baseline FILE and a file of new records: see '%s --help'", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: records,
		RunE:              func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flagvalue.File(c.Flags(), &f.baseline, "baseline", "file of records to compare with")
	flagvalue.Share(c.Flags(), &f.maxRise, "max-rise", "2%", 0.001, 10, "allowed rise, as a share of the baseline's figure")
	flagvalue.Choice(c.Flags(), &f.format, "format", report.GateFormats()[0], report.GateFormats(), units.Or(report.GateFormats()))
	c.Flags().BoolVar(&f.json, "json", false, "print records instead of text")
	return c
}

func (f *gateFlags) run(c *cobra.Command, files []string) error {
	if f.json {
		if err := usage.RefuseFlags(c, "does not apply to --json: leave one of them out", "format"); err != nil {
			return err
		}
	}
	base, now := judge.Set(), judge.Set()
	if err := readRecords(c, &base, f.baseline); err != nil {
		return err
	}
	for _, path := range files {
		if err := readRecords(c, &now, path); err != nil {
			return err
		}
	}
	lines, err := judge.Rises(base.Results, now.Results, f.maxRise)
	if err != nil {
		return err
	}
	text := func(w io.Writer, lines []*record.Gate) error { return report.Gate(w, f.format, lines) }
	if err := showAll(c, f.json, lines, text); err != nil {
		return err
	}
	return judge.Failure(lines)
}
