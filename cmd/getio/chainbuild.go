package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/ethereum/chainload"
	"getio/record"
	"getio/report"
)

type chainBuildFlags struct {
	engine    string
	scheme    string
	accounts  string
	contracts string
	slots     string
	blocks    string
	txs       string
	freezer   string
	age       string
	genesis   string
	flat      bool
	archive   bool
	seed      uint64
	json      bool
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
	f.StringVar(&b.scheme, "scheme", "path", "how nodes of tries are stored: by their path or by their hash")
	f.StringVar(&b.accounts, "accounts", "100k", "accounts, contracts included")
	f.StringVar(&b.contracts, "contracts", "10%", "contracts, in per cent of the accounts")
	f.StringVar(&b.slots, "slots", "30", "storage slots of a contract in the mean, 4 to 1000; few contracts have most of them")
	f.StringVar(&b.blocks, "blocks", "2000", "blocks after genesis")
	f.StringVar(&b.txs, "txs", "100", "transactions of a block")
	f.StringVar(&b.freezer, "freezer", "0", "blocks that the freezer has, the oldest")
	f.StringVar(&b.age, "age", "100", "blocks whose transactions change the state, the newest")
	f.StringVar(&b.genesis, "genesis", "", "add the accounts of a genesis file (JSON, as 'geth dumpgenesis' writes it)")
	f.BoolVar(&b.flat, "flat", false, "write accounts and slots by themselves too, as a synced node has them")
	f.BoolVar(&b.archive, "archive", false, "keep the tries of every block's state (hash scheme)")
	f.Uint64Var(&b.seed, "seed", 1, "seed of all there is")
	f.BoolVar(&b.json, "json", false, "print what was made as JSON")
	return c
}

// plan reads the flags; nothing is made before that.
func (b *chainBuildFlags) plan() (p chainload.Plan, err error) {
	p.ChainPlan = record.ChainPlan{Scheme: b.scheme, Flat: b.flat, Archive: b.archive, Seed: b.seed}
	for _, n := range []struct {
		flag, text string
		to         *uint64
	}{
		{"--accounts", b.accounts, &p.Accounts}, {"--blocks", b.blocks, &p.Blocks}, {"--txs", b.txs, &p.Txs},
		{"--freezer", b.freezer, &p.Frozen}, {"--age", b.age, &p.Aged},
	} {
		count, err := parseCount(n.flag, n.text)
		if err != nil {
			return p, err
		}
		*n.to = uint64(count)
	}
	share, isShare := strings.CutSuffix(b.contracts, "%")
	percent, err := strconv.ParseFloat(share, 64)
	if err != nil || !isShare {
		return p, fmt.Errorf("--contracts %q is no share of the accounts: write it like 10%%", b.contracts)
	}
	p.Contracts = percent / 100
	if p.Slots, err = strconv.ParseFloat(b.slots, 64); err != nil {
		return p, fmt.Errorf("--slots %q is no number: write it like 30", b.slots)
	}
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
	plan, err := b.plan()
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
