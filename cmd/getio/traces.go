package main

import (
	"context"
	"errors"
	"fmt"

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
	case r.scan != "":
		flag = "--scan"
	case r.batch != "":
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
func (r *runFlags) readTrace(ctx context.Context, opts *measure.Options) (*trace.File, error) {
	m := newMeter()
	f, err := trace.Check(ctx, r.trace, func(operations int64) {
		m.show("trace", uint64(operations), 0, "operations", "")
	})
	m.finish()
	if err != nil {
		return nil, err
	}
	if r.warmup == "" {
		opts.Warmup = measure.WarmupGets(f.Warmup)
	}
	warmup, known := opts.Warmup.Number()
	if !known {
		return nil, errors.New("a trace has a certain number of operations: say how many of them are --warmup by a number, or leave it to the trace")
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

// operation is what --scan or --multiget say.
func (r *runFlags) operation() (o measure.Operation, err error) {
	flag, text, most := "--scan", r.scan, trace.MaxLength
	o.Kind = engine.OperationScan
	switch {
	case r.scan != "" && r.batch != "":
		return o, errors.New("--scan and --multiget are different runs: leave one out")
	case r.batch != "":
		flag, text, most = "--multiget", r.batch, trace.MaxKeys
		o.Kind = engine.OperationMultiget
	case r.scan == "":
		return measure.Operation{}, nil
	}
	n, err := parseCount(flag, text)
	if err != nil {
		return o, err
	}
	if n < 1 || n > int64(most) {
		return o, fmt.Errorf("%s %s is out of range: take 1 to %d", flag, text, most)
	}
	o.Records = int(n)
	return o, nil
}
