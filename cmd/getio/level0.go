package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/ethereum/chainload"
	"getio/ethereum/level0"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/report/terminal"
	"getio/system/machine"
	"getio/tree/readpath"
)

type level0Flags struct {
	tables []int
	bloom  []string // on, off
	cache  []int64
	ops    int
	warmup int
	size   int64
	seed   uint64
	json   bool
}

func level0Command() *cobra.Command {
	var l level0Flags
	c := &cobra.Command{
		Use:   "l0 DIR",
		Short: "Predict and measure the cost of a growing L0",
		Long: `l0 adds growing numbers of L0 tables with further blocks to a copy of a chain that
'getio chain build' made, while compactions are held back. It measures operations on old
blocks, which lie below L0, on recent ones, which lie in it, and Gets of any key. Copies
share their tables by hard links, in one directory in DIR that is removed in the end.

A Get may have to consult every L0 table. While their indexes and filters fit into the
block cache, that costs one read of a data block per false positive. When they no longer
fit, a cache that evicts the least recently used blocks reads them all. l0 predicts the
number of tables where that happens, and finds it by measuring.`,
		Example: `  getio l0 data/chain --tables 0,10,50,100,300 --cache 2MiB,8MiB
  getio l0 data/chain --bloom off`,
		Args:        directory,
		Annotations: map[string]string{cleansUp: ""},
		RunE:        func(c *cobra.Command, args []string) error { return l.run(c, args[0]) },
	}
	f := c.Flags()
	flagVar(f, &l.tables, "tables", "counts", "0,10,50,100,300", listOf(countIn(0, math.MaxInt32)), "numbers of added L0 tables, comma-separated")
	flagVar(f, &l.bloom, "bloom", "choices", "on,off", listOf(oneOf("on", "off")), "consult the tables' filters (on), act as if there were none (off), or both")
	flagVar(f, &l.cache, "cache", "sizes", "2MiB,8MiB", listOf(units.ParseSize), "cache sizes, comma-separated")
	countVar(f, &l.ops, "ops", "500", 1, maxOperations, "measured operations of each kind")
	countVar(f, &l.warmup, "warmup", "500", 0, maxOperations, "operations before the measured ones, to fill the cache")
	flagVar(f, &l.size, "table-size", "size", "1MiB", parseTableSize, "size of an L0 table before compression")
	f.Uint64Var(&l.seed, "seed", 1, "seed of the operations")
	f.BoolVar(&l.json, "json", false, "print the records as JSON Lines")
	return c
}

func (l *level0Flags) run(c *cobra.Command, dir string) error {
	run, err := l.parse()
	if err != nil {
		return err
	}
	if run.Made, err = chainload.ReadMade(dir); err != nil {
		return err
	}
	if run.Made == nil {
		return fmt.Errorf("%s is not a chain made by getio (it has no chain.json): name the directory above its chaindata, or make one with 'getio chain build'", dir)
	}
	if run.Engine, err = engines.All().ByName(run.Made.Engine); err != nil {
		return err
	}
	if most, last := level0.MaxTables[run.Made.Engine], run.Tables[len(run.Tables)-1]; last > most {
		return fmt.Errorf("--tables %d is too many: %s can be held at up to %d", last, run.Made.Engine, most)
	}
	run.Dir = dir
	for _, bytes := range run.Caches {
		if err := machine.FitsCache(bytes); err != nil {
			return err
		}
	}
	if err := run.Check(c.Context()); err != nil {
		return err
	}
	return l.measure(c, run)
}

func (l *level0Flags) measure(c *cobra.Command, run level0.Run) error {
	m := terminal.NewProgress(c.ErrOrStderr())
	defer m.Finish()
	last := run.Tables[len(run.Tables)-1]
	run.Progress = func(n int) { m.Show("build", uint64(n), uint64(last), "tables", "") }
	made := uint64(0)
	run.Measuring = func(tables int, cache int64, _ bool) {
		m.Show("measure", made, 0, "numbers of tables", fmt.Sprintf("%d with %s", tables, humanize.IBytes(uint64(cache))))
		made++
	}
	stack, err := run.Grow(c.Context(), last)
	if err != nil {
		return err
	}
	defer stack.Close()
	results, err := run.Measure(c.Context(), stack)
	m.Finish()
	if err != nil {
		return err
	}
	if err := l.print(c, results); err != nil {
		return err
	}
	var checks readpath.Checks
	for _, r := range results {
		for _, row := range r.Rows {
			checks = append(checks, row.Checks...)
		}
	}
	return checks.Err()
}

func (l *level0Flags) print(c *cobra.Command, results []*record.Level0) error {
	if !l.json {
		return report.Level0(c.OutOrStdout(), results)
	}
	for _, r := range results {
		if err := record.WriteLine(c.OutOrStdout(), r); err != nil {
			return err
		}
	}
	return nil
}

// parse checks the flags; nothing is opened before that.
func (l *level0Flags) parse() (run level0.Run, err error) {
	if l.ops+l.warmup > maxOperations {
		return run, fmt.Errorf("--ops %d and --warmup %d are out of range: want 1 to %d in all", l.ops, l.warmup, maxOperations)
	}
	run.Tables, run.Caches = ascending(l.tables), ascending(l.cache)
	for _, on := range l.bloom {
		if filters := on == "on"; !slices.Contains(run.Filters, filters) {
			run.Filters = append(run.Filters, filters)
		}
	}
	run.TableBytes, run.Operations, run.Warmup, run.Seed = l.size, l.ops, l.warmup, l.seed
	return run, nil
}

// ascending sorts numbers, each once.
func ascending[N int | int64](numbers []N) []N {
	return slices.Compact(slices.Sorted(slices.Values(numbers)))
}

func parseTableSize(s string) (int64, error) {
	n, err := units.ParseSize(s)
	if err == nil && (n < minTable || n > maxTable) {
		err = fmt.Errorf("out of range, want %s to %s", humanize.IBytes(minTable), humanize.IBytes(maxTable))
	}
	return n, err
}

// Sizes of tables. Making one takes four times its size in memory.
const (
	minTable = 16 << 10
	maxTable = 256 << 20
)
