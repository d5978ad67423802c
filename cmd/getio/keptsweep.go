package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/measure"
	"getio/record"
)

// keptSweep is a sweep whose results are added to a file as they are there.
type keptSweep struct {
	measure.Sweep
	out  string
	json bool // print the records
	// complete fills in what the sweep does not know of a result; may be nil.
	complete func(*record.Result)
}

func (k *keptSweep) run(c *cobra.Command) ([]*record.Result, error) {
	meter := newMeter()
	defer meter.finish()
	kept := 0
	k.Options.Progress = func(stage measure.Stage) {
		stage.Phase = fmt.Sprintf("cache %d of %d (%s), %s", kept+1, len(k.Caches),
			humanize.IBytes(uint64(k.Caches[kept].CacheBytes)), stage.Phase)
		meter.measure(stage)
	}
	k.Each = func(r *record.Result, measured bool) error {
		if k.complete != nil {
			k.complete(r)
		}
		if measured {
			if err := record.Append(k.out, r); err != nil {
				return fmt.Errorf("a record cannot be added to %s (%w): make room, or name another file with --out", k.out, err)
			}
		}
		kept++
		if k.json {
			return record.WriteLine(c.OutOrStdout(), r)
		}
		return nil
	}
	results, err := k.Run(c.Context())
	if err != nil {
		err = unfinished(err, kept, len(k.Caches), k.out)
	}
	return results, err
}

// unfinished says what is kept of a sweep that err ended.
func unfinished(err error, kept, of int, out string) error {
	what := "no size was finished"
	if kept > 0 {
		what = fmt.Sprintf("%d of %d sizes are kept in %s; the same command goes on from there", kept, of, out)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return stopped(what)
	case kept > 0:
		return fmt.Errorf("%w (%s)", err, what)
	}
	return err
}
