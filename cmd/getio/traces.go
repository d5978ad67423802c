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
	m := newMeter(c)
	f, err := trace.Check(c.Context(), r.trace, func(operations int64) {
		m.show("trace", uint64(operations), 0, "operations", "")
	})
	m.finish()
	if err != nil {
		return nil, err
	}
	if !c.Flags().Changed("warmup") {
		opts.Warmup = measure.WarmupGets(f.Warmup)
	}
	warmup, known := opts.Warmup.Number()
	if !known {
		return nil, errors.New("--warmup of a trace must be a number of its operations: give one, or leave it to the trace")
	}
	left := f.Operations - warmup
	if left < 1 || opts.Gets > left {
		return nil, fmt.Errorf("%s has %d operations, which is too few for a warm-up of %d and %d measured ones: take fewer --gets, or less --warmup",
			f.Path, f.Operations, warmup, max(opts.Gets, 1))
	}
	if opts.Gets == 0 {
		opts.Gets = left
	}
	opts.Operation = measure.Operation{Kind: engine.Operation(f.Kind), Records: f.Records}
	if opts.Operation.Kind.IsGet() {
		opts.Operation = measure.Operation{}
	}
	return f, nil
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
