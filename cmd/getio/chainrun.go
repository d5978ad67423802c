package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/engine"
	"getio/ethereum/chain"
	"getio/measure/database"
	"getio/record"
)

// chainRun is the measuring of operations on a chain.
type chainRun struct {
	flags    *chainMeasureFlags
	ask      chainAsk
	command  *cobra.Command
	database *database.Database
	place    chain.Place
	caches   []int64 // in bytes
	journal  record.Journal
	done     []*record.Chain // of an earlier command
	results  []*record.Chain
}

// targetsCache is the block cache that targets are drawn with, in bytes.
const targetsCache = 64 << 20

// all measures all operations. Those that nobody has asked for and that the chain cannot
// answer are left out.
func (r *chainRun) all() error {
	draw, err := chain.Open(r.database.Store, r.place, engine.OpenConfig{CacheBytes: targetsCache, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return err
	}
	defer draw.Close()
	meter := newMeter()
	defer meter.finish()
	var unanswerable *chain.Unanswerable
	for at, o := range r.ask.operations {
		err := r.operation(draw, o, at, meter)
		if r.flags.operations == "" && errors.As(err, &unanswerable) {
			meter.finish()
			fmt.Fprintln(os.Stderr, "getio:", o, "is left out:", unanswerable)
			continue
		}
		if err != nil {
			return err
		}
	}
	if len(r.results) == 0 {
		return unanswerable
	}
	return nil
}

// operation measures an operation, the one at that place among all, with each cache.
func (r *chainRun) operation(draw *chain.Chain, o chain.Operation, at int, meter *meter) error {
	run := chain.Run{Operation: o, Flat: r.ask.flat && o.OfState()}
	warmup, measured, err := r.numbers(draw, run)
	if err != nil {
		return err
	}
	run.Warmup = int(warmup)
	total := uint64(warmup + measured)
	for i, bytes := range r.caches {
		if result := r.finished(draw, run, measured, bytes); result != nil {
			if err := r.keep(result, false); err != nil {
				return err
			}
			continue
		}
		if run.Targets == nil {
			run.Targets, err = draw.Targets(r.command.Context(), o, r.ask.popularity, int(total), func(n int) {
				meter.show("draw "+string(o), uint64(n), total, "targets", "")
			})
			if err != nil {
				return err
			}
		}
		which := fmt.Sprintf("run %d of %d", at*len(r.caches)+i+1, len(r.ask.operations)*len(r.caches))
		run.Progress = func(n int) {
			meter.show(fmt.Sprintf("%s at %s", o, humanize.IBytes(uint64(bytes))), uint64(n), total, "operations", which)
		}
		result, err := run.Measure(r.command.Context(), r.database.Store, r.place, engine.OpenConfig{CacheBytes: bytes, Shards: r.flags.shards})
		if err != nil {
			return err
		}
		r.describe(result)
		if err := r.keep(result, true); err != nil {
			return err
		}
	}
	return nil
}

// probed is how many operations tell what one costs.
const probed = 200

// numbers are how many operations to make, before and while it is measured.
func (r *chainRun) numbers(draw *chain.Chain, run chain.Run) (warmup, measured int64, err error) {
	warmup, measured = r.ask.warmup, r.ask.measured
	if measured == autoOps {
		like, err := draw.Targets(r.command.Context(), run.Operation, r.ask.popularity, probed, nil)
		if err != nil {
			return 0, 0, err
		}
		if measured, err = draw.SteadyOperations(r.database.Store, run.Operation, like, run.Flat); err != nil {
			return 0, 0, err
		}
	}
	if warmup == autoOps {
		warmup = measured
	}
	return warmup, measured, nil
}

func (r *chainRun) describe(result *record.Chain) {
	result.Path, result.Live, result.Engine = r.database.Dir, r.flags.choice.Live, r.database.EngineRecord()
	w := &result.Workload
	if w.Distribution, w.Zipf, w.Seed = "uniform", r.ask.popularity.Zipf, r.flags.seed; w.Zipf > 0 {
		w.Distribution = "zipf"
	}
}
