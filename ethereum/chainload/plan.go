package chainload

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/dustin/go-humanize"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"

	"getio/record"
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
		return fmt.Errorf("%d accounts are out of range: take 2 to %d", p.Accounts, uint64(maxAccounts))
	case !(p.Contracts >= 0 && p.Contracts <= 1):
		return fmt.Errorf("a share of %v of the accounts cannot be contracts: take 0 to 1", p.Contracts)
	case !(p.Slots >= minSlots && p.Slots <= maxSlots):
		return fmt.Errorf("%v slots to a contract are out of range: take %d to %d", p.Slots, minSlots, maxSlots)
	case p.Blocks < 1 || p.Blocks > maxBlocks:
		return fmt.Errorf("%d blocks are out of range: take 1 to %d", p.Blocks, maxBlocks)
	case p.Txs > maxTxs:
		return fmt.Errorf("%d transactions to a block are out of range: take up to %d", p.Txs, maxTxs)
	case p.Frozen > p.Blocks:
		return fmt.Errorf("%d blocks are more than can be frozen of %d and genesis without the newest: ask for fewer in the freezer, or for more blocks", p.Frozen, p.Blocks)
	case p.Aged > p.Blocks:
		return fmt.Errorf("%d of %d blocks cannot change the state: age fewer, or make more blocks", p.Aged, p.Blocks)
	case p.Aged > 0 && p.Txs == 0:
		return errors.New("blocks without transactions change no state: leave the ageing out, or give them some")
	case p.Scheme != rawdb.HashScheme && p.Scheme != rawdb.PathScheme:
		return fmt.Errorf("%q is no scheme of tries: take hash or path", p.Scheme)
	case p.Archive && p.Scheme != rawdb.HashScheme:
		return errors.New("tries of old states are kept under the hash scheme only: take it, or keep none")
	}
	return nil
}

// fits refuses more accounts than can be sorted in the available memory, in bytes; 0 means
// unknown.
func (p *Plan) fits(available int64) error {
	need := uint64(unsafe.Sizeof(ordinal{})) * p.Accounts
	if available > 0 && need > uint64(available) {
		return fmt.Errorf("%d accounts take %s of memory to be put in order, and %s are available: take fewer", p.Accounts, humanize.IBytes(need), humanize.IBytes(uint64(available)))
	}
	return nil
}
