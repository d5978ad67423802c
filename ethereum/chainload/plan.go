// Package chainload makes chaindata directories of any size, as geth would write them.
// Accounts and contracts are written in bulk through go-ethereum's StackTrie and schema,
// then blocks with transactions and receipts, then blocks whose changes go through
// go-ethereum's state commits, so that the database is as untidy as a node's. The key-value
// stores are go-ethereum's own, with its own options.
//
// The seed determines everything: the same plan makes the same chain on every machine.
package chainload

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"unsafe"

	"github.com/dustin/go-humanize"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

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

// population is the accounts of a plan: the generated ones, then those of its allocation.
type population struct {
	plan  *Plan
	alloc []common.Address

	codeHashes sync.Map // code number to hash, filled on demand
}

func newPopulation(p *Plan) *population {
	return &population{plan: p, alloc: slices.SortedFunc(maps.Keys(p.Alloc), common.Address.Cmp)}
}

func (p *population) size() uint64 { return p.plan.Accounts + uint64(len(p.alloc)) }

// random returns a source of random numbers for one item of a kind.
func (p *population) random(kind byte, n uint64) *rand.Rand {
	return rand.New(rand.NewPCG(p.plan.Seed<<8|uint64(kind), n))
}

// Kinds of items that take random numbers.
const (
	ofAccount byte = iota
	ofCode
	ofBlock
)

func (p *population) address(i uint64) common.Address {
	if i >= p.plan.Accounts {
		return p.alloc[i-p.plan.Accounts]
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], p.plan.Seed)
	binary.BigEndian.PutUint64(b[8:], i)
	return common.BytesToAddress(crypto.Keccak256(b[:]))
}

// contracts is the number of contracts. They are the first accounts.
func (p *population) contracts() uint64 {
	return uint64(math.Round(p.plan.Contracts * float64(p.plan.Accounts)))
}

// contractsPerCode is how many contracts share one code on average.
const contractsPerCode = 10

// codes is the number of different codes.
func (p *population) codes() uint64 { return (p.contracts() + contractsPerCode - 1) / contractsPerCode }

// code returns code n, half of it random. Sizes are log-uniform between 0.5 and 20 KiB.
func (p *population) code(n uint64) []byte {
	random := p.random(ofCode, n)
	code := make([]byte, int(512*math.Pow(40, random.Float64())))
	for i := 0; i+8 <= len(code); i += 16 {
		binary.LittleEndian.PutUint64(code[i:], random.Uint64())
	}
	return code
}

// codeHash returns the hash of code n. It is cached, because making code is slow.
func (p *population) codeHash(n uint64) common.Hash {
	if hash, known := p.codeHashes.Load(n); known {
		return hash.(common.Hash)
	}
	hash := crypto.Keccak256Hash(p.code(n))
	p.codeHashes.Store(n, hash)
	return hash
}

// account returns a generated account without its storage root, and its number of slots.
func (p *population) account(i uint64) (a *types.StateAccount, slots uint64) {
	random := p.random(ofAccount, i)
	a = &types.StateAccount{
		Nonce: 1 + uint64(random.ExpFloat64()*20), Balance: balance(random),
		Root: types.EmptyRootHash, CodeHash: types.EmptyCodeHash[:],
	}
	if i < p.contracts() {
		a.Nonce = 1
		a.CodeHash = p.codeHash(random.Uint64N(p.codes())).Bytes()
		slots = p.quantile(random.Float64())
	}
	return a, slots
}

// balance draws a balance below 2^70 wei (about a thousand ether). Most are small.
func balance(random *rand.Rand) *uint256.Int {
	b := uint256.NewInt(random.Uint64())
	return b.Rsh(b.Lsh(b, 6), uint(random.IntN(40)))
}

// quantile is the inverse distribution function of the number of slots of a contract. The distribution is
// Pareto: few contracts have most of the slots.
func (p *population) quantile(part float64) uint64 {
	const shape, most = 1.5, 1e6
	least := p.plan.Slots * (shape - 1) / shape
	return uint64(min(max(math.Round(least*math.Pow(1-part, -1/shape)), 1), most))
}

// allocated returns an account of the plan's allocation, without its storage root.
func (p *population) allocated(address common.Address) *types.StateAccount {
	from := p.plan.Alloc[address]
	a := &types.StateAccount{Nonce: from.Nonce, Balance: new(uint256.Int), Root: types.EmptyRootHash, CodeHash: types.EmptyCodeHash[:]}
	if from.Balance != nil {
		a.Balance.SetFromBig(from.Balance)
	}
	if len(from.Code) > 0 {
		a.CodeHash = crypto.Keccak256(from.Code)
	}
	return a
}

// slot returns the key of storage slot n and its value without leading zeros. A third of the
// values are small numbers, a third addresses, a third hashes.
func slot(contract common.Address, n uint64) (key common.Hash, value []byte) {
	binary.BigEndian.PutUint64(key[24:], n)
	seed := binary.BigEndian.Uint64(contract[:])
	random := rand.New(rand.NewPCG(seed, n))
	value = make([]byte, []int{4, common.AddressLength, common.HashLength}[random.IntN(3)])
	for i := range value {
		value[i] = byte(random.Uint32())
	}
	value[0] |= 1 // no leading zero
	return key, value
}
