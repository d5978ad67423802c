// Package chainload makes chaindata directories of any size, as geth would write them.
// Accounts and contracts are written in bulk through go-ethereum's StackTrie and schema,
// then blocks with transactions and receipts, then blocks whose changes go through
// go-ethereum's state commits, so that the database is as untidy as a node's. The key-value
// stores are go-ethereum's own, with its own options.
//
// The seed determines everything: the same plan makes the same chain on every machine.
package chainload

import (
	"encoding/json"
	"errors"
	"fmt"
	"unsafe"

	"github.com/dustin/go-humanize"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"getio/record"
	"getio/system/filesystem"
)

// Plan describes the chain to make.
type Plan struct {
	record.ChainPlan
	Alloc types.GenesisAlloc // further accounts, from a genesis file
}

// Limits that only a typing error exceeds.
const (
	maxAccounts = 1 << 32
	maxBlocks   = 100_000_000
	maxTxs      = 10_000
)

// Limits of the mean number of slots per contract. Between them the mean of the drawn
// numbers is within 2% of the plan: below, rounding distorts it; above, the largest
// contracts are cut off too often.
const (
	minSlots = 4
	maxSlots = 1000
)

// Check refuses a plan that cannot be carried out.
func (p *Plan) Check() error {
	switch {
	case p.Accounts < 2 || p.Accounts > maxAccounts:
		return fmt.Errorf("%d accounts is out of range: use 2 to %d", p.Accounts, uint64(maxAccounts))
	case !(p.Contracts >= 0 && p.Contracts <= 1):
		return fmt.Errorf("a share of contracts of %v is out of range: use 0 to 1", p.Contracts)
	case !(p.Slots >= minSlots && p.Slots <= maxSlots):
		return fmt.Errorf("%v slots per contract is out of range: use %d to %d", p.Slots, minSlots, maxSlots)
	case p.Blocks < 1 || p.Blocks > maxBlocks:
		return fmt.Errorf("%d blocks is out of range: use 1 to %d", p.Blocks, maxBlocks)
	case p.Txs > maxTxs:
		return fmt.Errorf("%d transactions per block is out of range: use up to %d", p.Txs, maxTxs)
	case p.Frozen > p.Blocks:
		return fmt.Errorf("cannot freeze %d of %d blocks, because the newest stays out of the freezer: freeze fewer, or make more blocks", p.Frozen, p.Blocks)
	case p.Blocks-p.Frozen > params.FullImmutabilityThreshold: // go-ethereum would move them while the chain is verified
		return fmt.Errorf("%d blocks would be outside the freezer, where go-ethereum keeps at most %d: freeze at least %d", p.Blocks-p.Frozen, params.FullImmutabilityThreshold, p.Blocks-params.FullImmutabilityThreshold)
	case p.Aged > p.Blocks:
		return fmt.Errorf("cannot age the state by %d of %d blocks: age by fewer, or make more blocks", p.Aged, p.Blocks)
	case p.Aged > 0 && p.Txs == 0:
		return errors.New("blocks without transactions do not change the state: turn ageing off, or add transactions")
	case p.Scheme != rawdb.HashScheme && p.Scheme != rawdb.PathScheme:
		return fmt.Errorf("unknown scheme %q: use hash or path", p.Scheme)
	case p.Archive && p.Scheme != rawdb.HashScheme:
		return errors.New("old states can be kept under the hash scheme only: use it, or keep none")
	}
	return nil
}

// fits refuses more accounts than can be sorted in the available memory, in bytes; 0 means unknown.
func (p *Plan) fits(available int64) error {
	need := uint64(unsafe.Sizeof(ordinal{})) * p.Accounts
	if available > 0 && need > uint64(available) {
		return fmt.Errorf("sorting %d accounts takes %s of memory, and %s is available: use fewer accounts", p.Accounts, humanize.IBytes(need), humanize.IBytes(uint64(available)))
	}
	return nil
}

// maxGenesis is a genesis of about a million accounts.
const maxGenesis = 128 << 20

// ReadGenesis adds the accounts of a genesis file, as 'geth dumpgenesis' writes it, to the plan.
func (p *Plan) ReadGenesis(path string) error {
	text, err := filesystem.ReadRegular(path, maxGenesis)
	if err != nil {
		return fmt.Errorf("cannot read the genesis %s (%w): name another file with --genesis", path, err)
	}
	var genesis struct {
		Alloc types.GenesisAlloc `json:"alloc"`
	}
	if err := json.Unmarshal(text, &genesis); err != nil {
		return fmt.Errorf("%s is not a genesis (%w): name a file as 'geth dumpgenesis' writes it", path, err)
	}
	if len(genesis.Alloc) == 0 {
		return errors.New(path + " allocates nothing: leave --genesis out, or name another file")
	}
	p.Alloc, p.Allocated = genesis.Alloc, uint64(len(genesis.Alloc))
	return nil
}
