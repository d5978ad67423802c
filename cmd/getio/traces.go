package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"getio/dataset/popularity"
	"getio/dataset/trace"
	"getio/engine"
	"getio/measure"
	"getio/measure/database"
	"getio/report/terminal"
)

// requireNoOtherKeys refuses flags that say what to ask for where a trace does.
func (r *runFlags) requireNoOtherKeys(ask database.KeySource) error {
	if r.trace == "" {
		return nil
	}
	var flag string
	switch p := ask.Popularity; {
	case r.scan > 0:
		flag = "--scan"
	case r.batch > 0:
		flag = "--multiget"
	case ask.KeysFile != "":
		flag = "--keys-file"
	case ask.Absent > 0:
		flag = "--absent"
	case p.Name() == popularity.NameZipf:
		flag = "--zipf"
	case p.Name() == popularity.NameHotset:
		flag = "--hotset"
	default:
		return nil
	}
	return fmt.Errorf("%s says what to ask for, and so does --trace %s: leave one out", flag, r.trace)
}

// readTrace reads the trace through, and fills in how many of its operations are made.
func (r *runFlags) readTrace(c *cobra.Command, opts *measure.Options) (*trace.File, error) {
	m := terminal.NewProgress(c.ErrOrStderr())
	f, err := trace.Check(c.Context(), r.trace, func(operations int64) {
		m.Show("trace", uint64(operations), 0, "operations", "")
	})
	m.Finish()
	if err != nil {
		return nil, err
	}
	return f, opts.FollowTrace(f, c.Flags().Changed("warmup"))
}

// operation is what --scan or --multiget ask for.
func (r *runFlags) operation() (measure.Operation, error) {
	switch {
	case r.scan > 0 && r.batch > 0:
		return measure.Operation{}, errors.New("--scan and --multiget are different runs: leave one out")
	case r.scan > 0:
		return measure.Operation{Kind: engine.OperationScan, Records: r.scan}, nil
	case r.batch > 0:
		return measure.Operation{Kind: engine.OperationMultiget, Records: r.batch}, nil
	}
	return measure.Operation{}, nil
}
