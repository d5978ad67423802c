package main

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/ethereum/chain"
	"getio/ethereum/level0"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
)

type level0Flags struct {
	run  level0.Run
	json bool
}

func level0Command() *cobra.Command {
	var l level0Flags
	c := &cobra.Command{
		Use:   "l0 DIR",
		Short: "Predict and measure the cost of more tables in level 0 (L0)",
		Long: `l0 measures how many more reads a lookup costs when L0 grows. L0 is the level of the newest
tables, which are not compacted yet. l0 adds L0 tables to a copy of a chain that
'getio chain build' made. Then it looks up old blocks of the chain, recent blocks, and
random keys. It also predicts the number of tables at which the cost jumps.`,
		Example: `  getio l0 data/chain --tables 0,10,50,100,300 --cache 2MiB,8MiB
  getio l0 data/chain --bloom off`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error { return l.measure(c, args[0]) },
	}
	f, run := c.Flags(), &l.run
	flagvalue.Var(f, &run.Tables, "tables", "counts", "0,10,50,100,300", flagvalue.ListOf(units.CountIn(0, math.MaxInt32)), "numbers of L0 tables to add, comma-separated")
	flagvalue.Var(f, &run.Filters, "bloom", "choices", "on,off", flagvalue.ListOf(parseOnOff), "use the tables' filters: on, off, or on,off to measure both").OfferList("on", "off")
	flagvalue.Var(f, &run.Caches, "cache", "sizes", "2MiB,8MiB", flagvalue.ListOf(units.ParseCache), "cache sizes, comma-separated")
	flagvalue.Count(f, &run.Operations, "ops", "500", 1, chain.MaxOperations, "measured operations of each kind")
	flagvalue.Count(f, &run.Warmup, "warmup", "500", 0, chain.MaxOperations, "operations before the measured ones")
	flagvalue.Var(f, &run.TableBytes, "table-size", "size", "1MiB", parseTableSize, "size of an L0 table before compression")
	f.Uint64Var(&run.Seed, "seed", 1, "seed of the operations")
	f.BoolVar(&l.json, "json", false, "print records instead of text")
	return c
}

func parseOnOff(text string) (bool, error) {
	choice, err := flagvalue.OneOf("on", "off")(text)
	return choice == "on", err
}

func parseTableSize(text string) (int64, error) {
	n, err := units.ParseSize(text)
	if err == nil && (n < level0.MinTableBytes || n > level0.MaxTableBytes) {
		err = fmt.Errorf("out of range, want %s to %s", humanize.IBytes(level0.MinTableBytes), humanize.IBytes(level0.MaxTableBytes))
	}
	return n, err
}

func (l *level0Flags) measure(c *cobra.Command, dir string) error {
	m := progress.Meter(c)
	defer m.Finish()
	run := &l.run
	run.Dir, run.Filters = dir, unique(run.Filters)
	run.Progress = func(n, of int) { m.Show("build", uint64(n), uint64(of), "tables", "") }
	made := uint64(0)
	run.Measuring = func(tables int, cache int64) {
		m.Show("measure", made, 0, "numbers of tables", fmt.Sprintf("%d with %s", tables, humanize.IBytes(uint64(cache))))
		made++
	}
	results, err := run.GrowAndMeasure(c.Context(), engines.All())
	m.Finish()
	if err != nil {
		return err
	}
	if err := showAll(c, l.json, results, report.Level0); err != nil {
		return err
	}
	return (&record.Set{Level0s: results}).Checks().Err()
}
