package progress

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/experiment/comparestate"
	"getio/record"
	"getio/report/terminal"
)

// States makes a comparison of state databases and shows it. json prints each record.
func States(c *cobra.Command, p *comparestate.Comparison, json bool) ([]*record.State, error) {
	m := Meter(c)
	defer m.Finish()
	print := func(r *record.State) error {
		if !json {
			return nil
		}
		return record.WriteLine(c.OutOrStdout(), r)
	}
	p.Progress = stage(m)
	p.Finish = func(r *record.State, kept bool) error {
		if kept {
			fmt.Fprintf(c.ErrOrStderr(), "%s with %s keys: kept in %s, measured %s\n", r.Label, humanize.Comma(int64(r.Keys)), p.Journal.Path, r.Time.Format("2006-01-02 15:04 MST"))
		}
		return print(r)
	}
	p.Unmeasured = func(err error) { fmt.Fprintln(c.ErrOrStderr(), err) }
	p.Fail = func(r *record.State) error {
		for _, check := range r.Checks.Failed() {
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s: %s\n", r.Label, check.Name, check.Detail)
		}
		return errors.Join(print(r), r.Checks.Err())
	}
	return p.Run(c.Context())
}

// stage shows how far the measurement of a store is.
func stage(m *terminal.Progress) func(phase string, done, total uint64, unit string) {
	return func(phase string, done, total uint64, unit string) { m.Show(phase, done, total, unit, "") }
}
