package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"

	"github.com/ethereum/go-ethereum/log"
	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/pebble/pebbledb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chain"
	"getio/ethereum/chainload"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
	"getio/workload/popularity"
)

func chainCommand() *cobra.Command {
	return groupCommand(cobra.Command{
		Use:   "chain",
		Short: "Measure what getBalance and other operations read",
		Long: `chain measures client operations, such as reading a balance or a block: which keys each
operation looks up, and how many reads that costs. It uses go-ethereum's own code.`,
	}, chainBuildCommand(), chainMeasureCommand(), chainWriteCommand())
}

type chainBuildFlags struct {
	engine  string
	plan    chainload.Plan
	genesis string
	json    bool
}

func chainBuildCommand() *cobra.Command {
	var b chainBuildFlags
	c := &cobra.Command{
		Use:   "build DIR",
		Short: "Make a chaindata directory like geth's, of any size",
		Long: `build makes a chaindata directory like geth's: accounts, contracts with storage, blocks and
receipts. It uses go-ethereum's own code and options.

It writes most of the state in bulk. Then it applies the newest blocks one by one, as a node does.
--age is the number of these blocks.`,
		Example: `  getio chain build data/chain --accounts 1M --blocks 20k --age 1000 --flat
  getio chain build data/old --scheme hash --archive --age 5000 --blocks 5000`,
		Args: usage.Directory, ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error { return b.run(c, args[0]) },
	}
	f, plan := c.Flags(), &b.plan.ChainPlan
	flagvalue.Engine(f, &b.engine, "pebblev2", engines.All()[:3], "pebblev2, pebblev1 or goleveldb")
	flagvalue.Choice(f, &plan.Scheme, "scheme", "path", []string{"path", "hash"}, "scheme of trie nodes: path or hash")
	flagvalue.Count(f, &plan.Accounts, "accounts", "100k", 0, units.MaxCount, "accounts, including contracts")
	flagvalue.Share(f, &plan.Contracts, "contracts", "10%", 0, 1, "share of contracts among the accounts")
	flagvalue.Number(f, &plan.Slots, "slots", "30", true, 1000, "mean number of storage slots per contract, 4 to 1000")
	flagvalue.Count(f, &plan.Blocks, "blocks", "2000", 0, units.MaxCount, "blocks after genesis")
	flagvalue.Count(f, &plan.Txs, "txs", "100", 0, units.MaxCount, "transactions per block")
	flagvalue.Count(f, &plan.Frozen, "freezer", "0", 0, units.MaxCount, "oldest blocks to move to the freezer")
	flagvalue.Count(f, &plan.Aged, "age", "100", 0, units.MaxCount, "number of newest blocks to apply one by one")
	flagvalue.File(f, &b.genesis, "genesis", "add the accounts of this genesis file")
	f.BoolVar(&plan.Flat, "flat", false, "also write flat state, like a synced node")
	f.BoolVar(&plan.Archive, "archive", false, "keep the tries of every block (hash scheme)")
	f.Uint64Var(&plan.Seed, "seed", 1, "seed of the chain")
	f.BoolVar(&b.json, "json", false, "print a record instead of text")
	return c
}

func (b *chainBuildFlags) run(c *cobra.Command, dir string) error {
	if b.genesis != "" {
		if err := b.plan.ReadGenesis(b.genesis); err != nil {
			return err
		}
	}
	if err := b.plan.Check(); err != nil {
		return usage.Wrap(err)
	}
	e, err := engines.All().ByName(b.engine)
	if err != nil {
		return err
	}
	m := progress.Meter(c)
	defer m.Finish()
	job := chainload.Job{
		Plan: b.plan, Engine: e, Dir: dir, Child: writeApart,
		Progress: m.Step,
	}
	made, err := job.Run(c.Context())
	m.Finish()
	if errors.Is(err, context.Canceled) {
		return stopped("nothing is kept of the chain for " + dir)
	}
	if err != nil {
		return err
	}
	if b.json {
		return record.WriteLine(c.OutOrStdout(), made)
	}
	return report.ChainMade(c.OutOrStdout(), dir, made)
}

const chainWriteName = "write"

// writeApart returns the process that makes the chain for 'chain build': this program again.
func writeApart(ctx context.Context) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, "chain", chainWriteName)
	cmd.Args[0] = os.Args[0]
	return cmd
}

func chainWriteCommand() *cobra.Command {
	return &cobra.Command{
		Use:    chainWriteName,
		Short:  "Make the chain that 'chain build' describes on standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			signal.Ignore(os.Interrupt) // chain build stops this process
			log.SetDefault(log.NewLogger(log.NewTerminalHandlerWithLevel(os.Stderr, log.LevelCrit, false)))
			halted := pebbledb.NewLogger()
			pebblev1.HaltStores(halted)
			pebblev2.HaltStores(halted)
			return chainload.Serve(c.Context(), os.Stdin, os.Stdout, engines.All().ByName, halted.Failures)
		},
	}
}

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
	return units.CountIn[int64](0, chain.MaxOperations)(text)
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

func unique[T comparable](list []T) (all []T) {
	for _, v := range list {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
