package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/numbers/units"
	"getio/outside/counter"
	"getio/outside/statedb"
	"getio/record"
	"getio/report"
)

// stateFlags are the flags of compare-state.
type stateFlags struct {
	keys     []uint64
	engines  string
	adapters []string
	values   string
	size     int
	seed     uint64
	lookups  int
	budgets  []float64
	disk     string
	diskSize int64 // 0: by the records
	out      string
	timeout  time.Duration
	json     bool
}

func compareStateCommand() *cobra.Command {
	var f stateFlags
	c := &cobra.Command{
		Use:   "compare-state --keys N",
		Short: "Every store on one table: what a lookup reads, counted from outside",
		Long: `compare-state loads the same keys and values into stores of different designs, and
looks keys up in them: existing ones, absent ones, and with a proof where the store
makes proofs. Each store runs as an adapter (docs/adapter.md), on a private disk and
in a control group of its own, and its reads are counted there (docs/external.md),
whatever it is written in. Every value is held against what was loaded. The stores are
removed in the end.

Cold lookups find nothing in any cache that can be emptied. A budget is a share of the store's bytes
that is kept of the pages that lookups read.

It takes root, in a container with CAP_SYS_ADMIN. Without, the engines of this
binary are measured by their own counts, cold, and the other stores are left out.
--out keeps each store's record; the same command goes on from there.`,
		Example: `  getio compare-state --keys 1M
  getio compare-state --keys 1M,5M --engines pebblev2,mdbx,nomt --out state.jsonl
  getio compare-state --keys 1M --engines pebblev2 --adapter mine='./adapter --small'`,
		Args:        noArguments,
		Annotations: map[string]string{cleansUp: ""},
		RunE:        func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	fs := c.Flags()
	flagVar(fs, &f.keys, "keys", "counts", "", listOf(countIn[uint64](leastStateKeys, mostStateKeys)), "keys of the state, like 1M; several are measured one after another: 1M,5M")
	fs.StringVar(&f.engines, "engines", "", "stores, comma-separated, as NAME or NAME:CONFIGURATION (default: all there are, if no --adapter is named): "+strings.Join(stateNames(), ", "))
	fs.StringArrayVar(&f.adapters, "adapter", nil, "a store of your own, as NAME=COMMAND or NAME:CONFIGURATION=COMMAND (repeatable)")
	fs.StringVar(&f.values, "values", dataset.ValuesRandom, "values: random, or pool32, which compress")
	countVar(fs, &f.size, "value-size", "110", 1, maxStateValue, "bytes of a value")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the keys, the values and the lookups")
	countVar(fs, &f.lookups, "lookups", "5k", leastLookups, maxLookups, "lookups of each kind")
	flagVar(fs, &f.budgets, "budgets", "shares", "1%,5%,20%", parseBudgets, "shares of the store that are kept as page cache, or none")
	fs.StringVar(&f.disk, "disk", os.TempDir(), "a directory of the file system that the private disks take their space of")
	sizeVar(fs, &f.diskSize, "size", "", "size of a private disk (default: eight times the records, and 1GiB)")
	fs.StringVar(&f.out, "out", "", "JSON Lines file of the records; stores that it has are not measured again")
	durationVar(fs, &f.timeout, "timeout", maxTimeout, "how long an adapter may be silent, like 30s (default: 1m for lookups, 10m for loads)")
	fs.BoolVar(&f.json, "json", false, "print getio.state/2 records, one per line")
	return c
}

func (f *stateFlags) run(c *cobra.Command) error {
	run := &stateRun{flags: f, command: c}
	if err := f.plan(run); err != nil {
		return err
	}
	m := newMeter()
	defer m.finish()
	run.show = func(phase string, done, total uint64, unit string) { m.show(phase, done, total, unit, "") }
	err := run.all(c.Context())
	m.finish()
	return run.conclude(err)
}

// plan reads the flags; nothing is made before that.
func (f *stateFlags) plan(r *stateRun) (err error) {
	if r.sizes, err = f.sizes(); err != nil {
		return err
	}
	r.plan = statedb.Plan{
		Values: f.values, ValueSize: f.size, Seed: f.seed, Timeout: f.timeout,
		Place: counter.Place{State: counterState, ImageIn: f.disk}, Outside: counter.Allowed(),
	}
	if err := f.checkRecords(); err != nil {
		return err
	}
	r.plan.Lookups, r.plan.Shares = f.lookups, f.budgets
	if !r.plan.Outside {
		for _, name := range []string{"budgets", "size"} {
			if r.command.Flags().Changed(name) {
				return fmt.Errorf("--%s is of reads that are counted from outside, which only root with CAP_SYS_ADMIN can: run as root, or leave it out", name)
			}
		}
		r.plan.Shares = nil
	}
	r.plan.Place.Bytes = f.diskSize
	if r.stores, r.missing, err = f.stores(r.plan.Outside); err != nil {
		return err
	}
	r.journal = record.Journal{Path: f.out, Runs: "stores", Total: len(r.sizes) * len(r.stores)}
	r.done, err = r.journal.States()
	return err
}

const (
	// leastStateKeys make a tree; mostStateKeys catch slips of the pen.
	leastStateKeys = 1000
	mostStateKeys  = 1_000_000_000
	leastLookups   = 2 // one has no interval
	maxLookups     = 10_000_000
)

// sizes are the numbers of keys.
func (f *stateFlags) sizes() (sizes []uint64, err error) {
	if f.keys == nil {
		return nil, errors.New("compare-state needs a number of keys: add --keys N, such as --keys 1M")
	}
	for _, n := range f.keys {
		if !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return sizes, nil
}

// checkRecords refuses values that there are not.
func (f *stateFlags) checkRecords() error {
	_, err := dataset.NewValues(f.values, f.size, f.seed)
	return err
}

// maxStateValue is what a thousand of fit a frame.
const maxStateValue = 32 << 10

// parseBudgets reads shares such as 1%,5%.
func parseBudgets(list string) (shares []float64, err error) {
	if list == "none" {
		return nil, nil
	}
	for _, text := range strings.Split(list, ",") {
		share, err := units.ParseShare(text)
		if err != nil || share == 0 || share > 1 {
			return nil, fmt.Errorf("%q: want a share of the store such as 5%%, up to 100%%, or none", text)
		}
		shares = append(shares, share)
	}
	return shares, nil
}

// stateRun is one comparison.
type stateRun struct {
	flags   *stateFlags
	command *cobra.Command
	plan    statedb.Plan
	sizes   []uint64
	stores  []statedb.Store
	missing []string // why stores of the default list are left out
	journal record.Journal
	done    []*record.State
	results []*record.State
	show    func(phase string, done, total uint64, unit string)
}

// all measures every store with every number of keys. What goes wrong with one store does
// not end the others.
func (r *stateRun) all(ctx context.Context) error {
	for _, text := range r.missing {
		fmt.Fprintln(os.Stderr, text)
	}
	var failed []error
	for _, keys := range r.sizes {
		for _, s := range r.stores {
			err := r.one(ctx, keys, s)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err != nil {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}

func (r *stateRun) one(ctx context.Context, keys uint64, s statedb.Store) error {
	plan := r.plan
	plan.Keys = keys
	plan.Progress = r.show
	if done := r.finished(&plan, s); done != nil {
		fmt.Fprintf(os.Stderr, "%s with %s keys: kept from %s, measured %s\n", s.Name, humanize.Comma(int64(keys)), r.flags.out, done.Time.Format("2006-01-02 15:04 MST"))
		return r.keep(done, false)
	}
	result, err := plan.Measure(ctx, s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if err := requireHold(result.Checks); err != nil {
		for _, check := range result.Checks.Failed() {
			fmt.Fprintf(os.Stderr, "%s: %s: %s\n", s.Name, check.Name, check.Detail)
		}
		if r.flags.json {
			err = errors.Join(record.WriteLine(r.command.OutOrStdout(), result), err)
		}
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return r.keep(result, true)
}

func (r *stateRun) keep(result *record.State, measured bool) error {
	if err := r.journal.Finish(result, measured); err != nil {
		return err
	}
	r.results = append(r.results, result)
	if r.flags.json {
		return record.WriteLine(r.command.OutOrStdout(), result)
	}
	return nil
}

// finished finds the record of the same measurement.
func (r *stateRun) finished(p *statedb.Plan, s statedb.Store) *record.State {
	for _, d := range r.done {
		if p.Matches(d, s) {
			return d
		}
	}
	return nil
}

// conclude prints the table of what was measured, and says what is kept if err ended it.
func (r *stateRun) conclude(err error) error {
	if errors.Is(err, context.Canceled) {
		err = r.journal.Unfinished(err)
	}
	if len(r.results) == 0 || r.flags.json {
		return err
	}
	return errors.Join(report.States(r.command.OutOrStdout(), r.results), err)
}
