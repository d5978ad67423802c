package chain

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"getio/engine"
	"getio/workload/popularity"
)

// Popularity is the distribution of targets.
type Popularity struct {
	// Zipf is the exponent of a Zipf distribution; 0 is uniform. The newest blocks are the
	// most popular ones; popular accounts lie anywhere.
	Zipf float64
	Seed uint64
	// First and Last limit the block numbers; 0 means no limit.
	First, Last uint64
}

type targets struct {
	chain      *Chain
	operation  Operation
	popularity Popularity
	random     *rand.Rand
	oldest     uint64 // first block with transactions and receipts
	newest     uint64
	ranks      *popularity.Zipf // nil if uniform
	drawn      []Target         // as many as were needed; how many does not change them
}

// OpenToDraw opens a chain to draw targets from, with a block cache of 64 MiB.
func OpenToDraw(s engine.Store, place Place) (*Chain, error) {
	return Open(s, place, engine.OpenConfig{CacheBytes: 64 << 20, MaxOpenFiles: engine.AuxiliaryOpenFiles})
}

// Unanswerable is the error for an operation that no target of the chain can answer.
type Unanswerable struct{ Text string }

func (u *Unanswerable) Error() string { return u.Text }

func (c *Chain) unanswerable(why string, o Operation) error {
	if c.reader.err != nil {
		return c.reader.err
	}
	return &Unanswerable{fmt.Sprintf("%s %s: leave %s out", c.place.Dir, why, o)}
}

// Targets draws n existing targets. The error is an Unanswerable if there are none.
func (c *Chain) Targets(ctx context.Context, o Operation, p Popularity, n int) ([]Target, error) {
	t, err := c.newTargets(o, p)
	if err != nil {
		return nil, err
	}
	return t.first(ctx, n, nil)
}

func (c *Chain) newTargets(o Operation, p Popularity) (*targets, error) {
	t := &targets{chain: c, operation: o, popularity: p, random: rand.New(rand.NewPCG(p.Seed, 0))}
	if err := t.prepare(); err != nil {
		return nil, c.stateError(err)
	}
	return t, nil
}

// first returns the first n targets. done, if not nil, is called with the number drawn so far.
func (t *targets) first(ctx context.Context, n int, done func(int)) ([]Target, error) {
	for i := len(t.drawn); i < n; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i%1024 == 0 && done != nil {
			done(i)
		}
		target, err := t.draw()
		if err != nil {
			return nil, t.chain.stateError(err)
		}
		t.drawn = append(t.drawn, target)
	}
	return t.drawn[:n], nil
}

func (t *targets) prepare() (err error) {
	population := uint64(0)
	if !t.operation.OfState() {
		err = t.findBlocks()
		population = t.newest - t.oldest + 1
	} else if _, err = t.chain.FindState(); err == nil && t.popularity.Zipf > 0 {
		population, err = t.countAccounts()
	}
	if err == nil && t.popularity.Zipf > 0 {
		t.ranks = popularity.NewZipf(t.popularity.Zipf, population)
	}
	return err
}

func (t *targets) findBlocks() error {
	c := t.chain
	t.oldest = max(1, c.reader.freezer.tail()) // block 0 has no transactions
	if indexed := rawdb.ReadTxIndexTail(c.reader); indexed != nil && t.operation == Transaction {
		t.oldest = max(t.oldest, *indexed)
	}
	t.oldest = max(t.oldest, t.popularity.First)
	if t.newest = c.Head(); t.popularity.Last > 0 {
		t.newest = min(t.newest, t.popularity.Last)
	}
	if t.oldest > t.newest {
		return c.unanswerable(fmt.Sprintf("has the contents of none of the blocks %d to %d", t.oldest, t.newest), t.operation)
	}
	return nil
}

func (t *targets) draw() (target Target, err error) {
	switch t.operation {
	case BlockByNumber:
		return Target{Number: t.block()}, nil
	case BlockByHash, Receipts:
		target.Number = t.block()
		target.Hash = rawdb.ReadCanonicalHash(t.chain.reader, target.Number)
		return target, t.requireHash(target)
	case Transaction:
		return t.transaction()
	case Balance:
		accounts, err := t.chain.accounts()
		if err != nil {
			return target, err
		}
		hash, blob, err := t.firstFrom(accounts, t.somewhere())
		if err != nil {
			return target, err
		}
		target.Hash = hash
		return target, rlp.DecodeBytes(blob, new(types.StateAccount))
	case StorageAt:
		return t.slot()
	}
	return target, fmt.Errorf("unknown operation %q", t.operation)
}

// block draws a block number.
func (t *targets) block() uint64 {
	if t.ranks != nil {
		return t.newest - t.ranks.Rank(t.random.Float64)
	}
	return t.oldest + t.random.Uint64N(t.newest-t.oldest+1)
}

func (t *targets) requireHash(target Target) error {
	if target.Hash != (common.Hash{}) {
		return nil
	}
	return cmp.Or(t.chain.reader.err, fmt.Errorf("%s has no block %d, but later ones: if the freezer is elsewhere, name it with --ancient", t.chain.place.Dir, target.Number))
}

// emptyBlocks is the number of consecutive blocks without indexed transactions after which
// the search for one ends.
const emptyBlocks = 10_000

// transaction draws a block and one of its indexed transactions.
func (t *targets) transaction() (target Target, err error) {
	c := t.chain
	for range emptyBlocks {
		target.Number = t.block()
		target.Hash = rawdb.ReadCanonicalHash(c.reader, target.Number)
		if err := t.requireHash(target); err != nil {
			return target, err
		}
		body := rawdb.ReadBody(c.reader, target.Hash, target.Number)
		if body == nil {
			return target, cmp.Or(c.reader.err, fmt.Errorf("%s lacks the transactions of block %d", c.place.Dir, target.Number))
		}
		if n := len(body.Transactions); n > 0 {
			block := target.Hash
			target.Hash = body.Transactions[t.random.IntN(n)].Hash()
			if rawdb.ReadTxLookupEntry(c.reader, target.Hash) != nil {
				return target, nil
			}
			if err := c.requireWhole(target.Number, block, body); err != nil {
				return target, err
			}
		}
	}
	return target, c.unanswerable("has (almost) no transactions that are indexed", t.operation)
}

// requireWhole returns an error if a block's transactions do not match its header's transaction root. It is
// called only if the index lacks a transaction, because computing the root takes time, and a damaged
// transaction has a hash that is not in the index.
func (c *Chain) requireWhole(number uint64, hash common.Hash, body *types.Body) error {
	header := rawdb.ReadHeader(c.reader, hash, number)
	if header == nil || types.DeriveSha(types.Transactions(body.Transactions), trie.NewStackTrie(nil)) == header.TxHash {
		return c.reader.err
	}
	return fmt.Errorf("the transactions of block %d in %s do not match its header: the database is damaged, restore it from a copy", number, c.place.Dir)
}

// somewhere draws a position among the address hashes: any, or that of a popularity rank.
func (t *targets) somewhere() (place common.Hash) {
	if t.ranks != nil {
		var rank [16]byte
		binary.BigEndian.PutUint64(rank[:], t.popularity.Seed)
		binary.BigEndian.PutUint64(rank[8:], t.ranks.Rank(t.random.Float64))
		return crypto.Keccak256Hash(rank[:])
	}
	return t.anywhere()
}

func (t *targets) anywhere() (place common.Hash) {
	for i := 0; i < len(place); i += 8 {
		binary.BigEndian.PutUint64(place[i:], t.random.Uint64())
	}
	return place
}

// firstFrom returns the first leaf at or after a position, or the first leaf of all.
func (t *targets) firstFrom(in *trie.Trie, place common.Hash) (key common.Hash, value []byte, err error) {
	for _, start := range [][]byte{place[:], nil} {
		nodes, err := in.NodeIterator(start)
		if err != nil {
			return key, nil, err
		}
		leaves := trie.NewIterator(nodes)
		if leaves.Next() {
			return common.BytesToHash(leaves.Key), leaves.Value, t.chain.reader.err
		}
		if leaves.Err != nil {
			return key, nil, cmp.Or(t.chain.reader.err, leaves.Err)
		}
	}
	return key, nil, fmt.Errorf("%s has an empty state trie", t.chain.place.Dir)
}

// The search for contracts ends after this many positions, with this many accounts each.
const (
	placesWithoutStorage   = 20
	accountsWithoutStorage = 20_000
)

// slot draws a position, then the first account with storage after it, then one of its
// slots. Contracts are thus equally likely apart from the gaps before them, whatever their
// number of slots.
func (t *targets) slot() (target Target, err error) {
	for range placesWithoutStorage {
		account, root, err := t.contractFrom(t.somewhere())
		if err != nil {
			return target, err
		}
		if root != types.EmptyRootHash {
			slots, err := t.chain.slots(account, root)
			if err != nil {
				return target, err
			}
			target.Hash = account
			target.Slot, _, err = t.firstFrom(slots, t.anywhere())
			return target, err
		}
	}
	return target, t.chain.unanswerable("has (almost) no accounts with storage", t.operation)
}

// contractFrom returns the first account with storage at or after a position, and its
// storage root; an empty root means none was found.
func (t *targets) contractFrom(place common.Hash) (hash, root common.Hash, err error) {
	accounts, err := t.chain.accounts()
	if err != nil {
		return hash, root, err
	}
	nodes, err := accounts.NodeIterator(place[:])
	if err != nil {
		return hash, root, err
	}
	leaves := trie.NewIterator(nodes)
	for n := 0; n < accountsWithoutStorage && leaves.Next(); n++ {
		account := new(types.StateAccount)
		if err := rlp.DecodeBytes(leaves.Value, account); err != nil {
			return hash, root, err
		}
		if account.Root != types.EmptyRootHash {
			return common.BytesToHash(leaves.Key), account.Root, nil
		}
	}
	return hash, types.EmptyRootHash, leaves.Err
}

// countedGaps is the number of gaps between accounts to sample. The error is a few per cent.
const countedGaps = 1000

// countAccounts estimates the number of accounts from the mean gap between their hashes.
func (t *targets) countAccounts() (uint64, error) {
	sum := new(big.Int)
	for range countedGaps {
		place := t.anywhere()
		accounts, err := t.chain.accounts()
		if err != nil {
			return 0, err
		}
		next, _, err := t.firstFrom(accounts, place)
		if err != nil {
			return 0, err
		}
		gap := new(big.Int).Sub(next.Big(), place.Big())
		if gap.Sign() < 0 {
			gap.Add(gap, allPlaces)
		}
		sum.Add(sum, gap)
	}
	n := new(big.Int).Mul(allPlaces, big.NewInt(countedGaps))
	n.Div(n, sum)
	return max(n.Uint64(), 1), nil
}

var allPlaces = new(big.Int).Lsh(big.NewInt(1), 256)
