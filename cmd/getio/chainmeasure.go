package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/ethereum/chain"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/workload/popularity"
)

type chainMeasureFlags struct {
	sweep chain.Sweep
	open  database.OpenOptions
	state string
	json  bool
}

func chainMeasureCommand() *cobra.Command {
	var m chainMeasureFlags
	c := &cobra.Command{
		Use:   "measure DIR",
		Short: "Measure how many lookups and reads an operation costs",
		Long: `measure performs client operations, such as getBalance, on a chaindata directory. For
each operation, it shows the keys looked up, by category, and the reads of table files.

The client's own caches are left out: every lookup goes to the database as a Get.`,
		Example: `  getio chain measure /var/lib/geth/geth/chaindata --cache 0.2%,1.7%,14%
  getio chain measure data/chain --op getBalance,getStorageAt --state flat`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: onDatabase(m.run, nil),
	}
	f := c.Flags()
	flagvalue.Choices(f, &m.sweep.Operations, "op", chain.Operations, "comma-separated list of "+units.Or(chain.Operations)+" (default: all)")
	flagvalue.Choice(f, &m.state, "state", "trie", []string{"trie", "flat"}, "read accounts from the trie or the flat state")
	flagvalue.Caches(f, &m.sweep.Caches, "0.2%,1.7%,14%", "cache sizes, comma-separated. If one of the default sizes is too small for geth, the smallest size that geth can use is taken instead")
	flagvalue.Number(f, &m.sweep.Popularity.Zipf, "zipf", "0", false, popularity.MaxZipf, "Zipf exponent of the popularity of accounts and blocks, such as 0.99")
	flagvalue.Var(f, &m.sweep.Measured, "ops", "count", opsAuto, parseOps, "measured operations, or auto").Offer(opsAuto)
	flagvalue.Var(f, &m.sweep.Warmup, "warmup", "count", opsAuto, parseOps, "operations before the measured ones, or auto").Offer(opsAuto)
	flagvalue.Dir(f, &m.sweep.Ancient, "ancient", "", "directory of the freezer (default: DIR/ancient)")
	f.Uint64Var(&m.sweep.Popularity.Seed, "seed", 1, "seed of the operations")
	shardsVar(f, &m.sweep.Shards, "shards of the block cache")
	flagvalue.File(f, &m.sweep.Journal.Path, "out", "file to keep records in; runs whose records are there already are skipped")
	flagvalue.Time(f, &m.sweep.Limit.Until)
	f.BoolVar(&m.json, "json", false, "print records instead of text")
	choiceFlags(c, &m.open)
	liveFlag(c, &m.open)
	return c
}

const opsAuto = "auto"

// parseOps reads a number of operations, or auto.
func parseOps(text string) (int64, error) {
	if text == opsAuto {
		return chain.AutoOperations, nil
	}
	return flagvalue.CountIn[int64](0, chain.MaxOperations)(text)
}

func (m *chainMeasureFlags) run(c *cobra.Command, dir string) error {
	s := &m.sweep
	s.Operations, s.Flat = unique(s.Operations), m.state == "flat"
	if err := s.Check(); err != nil {
		return usage.Wrap(err)
	}
	s.Limit.ShortIfSmall, s.RaiseCaches = s.Auto(), !c.Flags().Changed("cache")
	meter := progress.Meter(c)
	defer meter.Finish()
	s.Progress = meter.Show
	s.Skip = func(o chain.Operation, err error) {
		meter.Finish()
		fmt.Fprintf(c.ErrOrStderr(), "getio: %s is left out: %v\n", o, err)
	}
	results, err := s.Run(c.Context(), engines.All(), dir, m.open)
	meter.Finish()
	if err == nil {
		progress.Reused(c, &s.Journal)
	}
	if len(results) > 0 && (err == nil || errors.Is(err, context.Canceled)) {
		err = errors.Join(err, showAll(c, m.json, results, report.Chain))
	}
	if err != nil {
		return err
	}
	return (&record.Set{Chains: results}).Checks().Err()
}

// unique removes repetitions from a list.
func unique[T comparable](list []T) (all []T) {
	for _, v := range list {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
