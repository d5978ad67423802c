package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"

	"github.com/ethereum/go-ethereum/log"
	"github.com/spf13/cobra"

	"getio/cmd/flagvalue"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/engines"
	"getio/engine/pebble/pebbledb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chainload"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
)

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
		Progress: func(phase string, done, total uint64, unit string) { m.Show(phase, done, total, unit, "") },
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
