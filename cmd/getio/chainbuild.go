package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/ethereum/chainload"
	"getio/numbers/units"
	"getio/record"
	"getio/report"
)

type chainBuildFlags struct {
	engine  string
	plan    record.ChainPlan
	genesis string
	json    bool
}

func chainBuildCommand() *cobra.Command {
	var b chainBuildFlags
	c := &cobra.Command{
		Use:   "build DIR",
		Short: "Make a chaindata directory as geth would have it, of any size",
		Long: `build makes a chain in DIR/chaindata: accounts, contracts with code and storage,
and their tries in bulk through go-ethereum's StackTrie and schema, into go-ethereum's
own key-value store with its own options; blocks with transactions and receipts, the
oldest in the freezer; and the newest blocks' changes through go-ethereum's state
commits, one each, so that the database is as used as a node's. Everything follows
from the seed. The state is read back by go-ethereum before the chain counts as made.`,
		Example: `  getio chain build data/chain --accounts 1M --blocks 20k --age 1000 --flat
  getio chain build data/archive --accounts 1M --scheme hash --archive --age 5000 --blocks 5000`,
		Args:        directory,
		Annotations: map[string]string{cleansUp: ""},
		RunE:        func(c *cobra.Command, args []string) error { return b.run(c, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&b.engine, "engine", "pebblev2", "key-value store: pebblev2, pebblev1 or goleveldb, also called leveldb")
	f.StringVar(&b.plan.Scheme, "scheme", "path", "how nodes of tries are stored: by their path or by their hash")
	countVar(f, &b.plan.Accounts, "accounts", "100k", 0, units.MaxCount, "accounts, contracts included")
	shareVar(f, &b.plan.Contracts, "contracts", "10%", 0, 1, "contracts, in per cent of the accounts")
	numberVar(f, &b.plan.Slots, "slots", "30", true, 1000, "storage slots of a contract in the mean, 4 to 1000; few contracts have most of them")
	countVar(f, &b.plan.Blocks, "blocks", "2000", 0, units.MaxCount, "blocks after genesis")
	countVar(f, &b.plan.Txs, "txs", "100", 0, units.MaxCount, "transactions of a block")
	countVar(f, &b.plan.Frozen, "freezer", "0", 0, units.MaxCount, "blocks that the freezer has, the oldest")
	countVar(f, &b.plan.Aged, "age", "100", 0, units.MaxCount, "blocks whose transactions change the state, the newest")
	f.StringVar(&b.genesis, "genesis", "", "add the accounts of a genesis file (JSON, as 'geth dumpgenesis' writes it)")
	f.BoolVar(&b.plan.Flat, "flat", false, "write accounts and slots by themselves too, as a synced node has them")
	f.BoolVar(&b.plan.Archive, "archive", false, "keep the tries of every block's state (hash scheme)")
	f.Uint64Var(&b.plan.Seed, "seed", 1, "seed of all there is")
	f.BoolVar(&b.json, "json", false, "print what was made as JSON")
	return c
}

// plan reads the flags; nothing is made before that.
func (b *chainBuildFlags) chainPlan() (p chainload.Plan, err error) {
	p.ChainPlan = b.plan
	if b.genesis != "" {
		if p.Alloc, err = readAlloc(b.genesis); err != nil {
			return p, err
		}
		p.Allocated = uint64(len(p.Alloc))
	}
	return p, p.Check()
}

// readAlloc reads the accounts of a genesis file.
func readAlloc(path string) (types.GenesisAlloc, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the genesis %s cannot be read (%w): name another file with --genesis", path, err)
	}
	var genesis struct {
		Alloc types.GenesisAlloc `json:"alloc"`
	}
	if err := json.Unmarshal(text, &genesis); err != nil {
		return nil, fmt.Errorf("%s is no genesis (%w): name a file as 'geth dumpgenesis' writes it", path, err)
	}
	if len(genesis.Alloc) == 0 {
		return nil, errors.New(path + " allocates nothing: leave --genesis out, or name another file")
	}
	return genesis.Alloc, nil
}

func (b *chainBuildFlags) run(c *cobra.Command, dir string) error {
	plan, err := b.chainPlan()
	if err != nil {
		return err
	}
	e, err := engines.All().ByName(b.engine)
	if err != nil {
		return err
	}
	m := newMeter()
	defer m.finish()
	job := chainload.Job{Plan: plan, Engine: e, Dir: dir, Child: writeApart, Progress: func(phase string, done, total uint64, unit string) { m.show(phase, done, total, unit, "") }}
	made, err := job.Run(c.Context())
	m.finish()
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
