package chainload

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

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
