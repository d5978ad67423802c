package chainload

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"getio/client/chaindata"
)

// stateWriter writes the state of a population: code, tries and, if planned, flat state.
type stateWriter struct {
	*population
	db      ethdb.Database
	batches sync.Pool // of *batch
}

type leaf struct {
	hash    common.Hash // of the address
	account *types.StateAccount
}

// accountsPerPart is the number of accounts made at a time.
const accountsPerPart = 1024

func (w *stateWriter) write(ctx context.Context, report func(phase string, accounts uint64)) (root common.Hash, err error) {
	w.batches.New = func() any { return newBatch(w.db) }
	if err := w.writeCodes(ctx); err != nil {
		return root, err
	}
	order, err := w.byHash(ctx, func(n uint64) { report("addresses", n) })
	if err != nil {
		return root, err
	}
	own := newBatch(w.db)
	accounts := trie.NewStackTrie(w.nodesTo(own, common.Hash{}))
	parts := slices.Collect(slices.Chunk(order, accountsPerPart))
	err = inOrder(ctx, uint64(len(parts)),
		func(i uint64) ([]leaf, error) { return w.leaves(parts[i]) },
		func(i uint64, leaves []leaf) error {
			for _, l := range leaves {
				if err := w.put(accounts, own, l); err != nil {
					return err
				}
			}
			report("state", i*accountsPerPart+uint64(len(leaves)))
			return nil
		})
	if err != nil {
		return root, err
	}
	root = accounts.Hash()
	if w.plan.Flat {
		MarkFlat(own, root, w.size())
	}
	return root, own.write()
}

// ordinal is an account's position in the order of the address hashes.
type ordinal struct {
	prefix uint64 // of the hash
	index  uint64
}

func (w *stateWriter) byHash(ctx context.Context, done func(accounts uint64)) ([]ordinal, error) {
	order := make([]ordinal, 0, w.size())
	err := inOrder(ctx, (w.size()+accountsPerPart-1)/accountsPerPart,
		func(part uint64) (list []ordinal, err error) {
			for i := part * accountsPerPart; i < min((part+1)*accountsPerPart, w.size()); i++ {
				hash := w.hash(i)
				list = append(list, ordinal{prefix: binary.BigEndian.Uint64(hash[:]), index: i})
			}
			return list, nil
		},
		func(_ uint64, list []ordinal) error {
			order = append(order, list...)
			done(uint64(len(order)))
			return nil
		})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(order, func(a, b ordinal) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		return w.hash(a.index).Cmp(w.hash(b.index))
	})
	return order, nil
}

func (p *population) hash(i uint64) common.Hash { return crypto.Keccak256Hash(p.address(i).Bytes()) }

func (w *stateWriter) put(accounts *trie.StackTrie, to *batch, l leaf) error {
	if err := accounts.Update(l.hash[:], encoded(l.account)); err != nil {
		return err
	}
	if w.plan.Flat {
		rawdb.WriteAccountSnapshot(to, l.hash, types.SlimAccountRLP(*l.account))
	}
	return to.writeIfFull()
}

func (w *stateWriter) nodesTo(to *batch, owner common.Hash) trie.OnTrieNode {
	return func(path []byte, hash common.Hash, blob []byte) {
		rawdb.WriteTrieNode(to, owner, path, hash, blob, w.plan.Scheme)
	}
}

// leaves makes accounts and writes their storage.
func (w *stateWriter) leaves(part []ordinal) ([]leaf, error) {
	to := w.batches.Get().(*batch)
	defer w.batches.Put(to)
	list := make([]leaf, len(part))
	for i, p := range part {
		list[i].hash = w.hash(p.index)
		var slots []storedSlot
		list[i].account, slots = w.contents(p.index, to)
		if len(slots) == 0 {
			continue
		}
		root, err := w.writeSlots(to, list[i].hash, slots)
		if err != nil {
			return nil, err
		}
		list[i].account.Root = root
	}
	return list, to.write()
}

// contents returns an account and its slots. It writes the code of accounts of the allocation.
func (w *stateWriter) contents(i uint64, to *batch) (*types.StateAccount, []storedSlot) {
	if i >= w.plan.Accounts {
		return w.writeAllocated(w.alloc[i-w.plan.Accounts], to)
	}
	account, n := w.account(i)
	slots := make([]storedSlot, n)
	for j := range slots {
		key, value := slot(w.address(i), uint64(j))
		slots[j] = storedSlot{crypto.Keccak256Hash(key[:]), value}
	}
	return account, slots
}

func (w *stateWriter) writeAllocated(address common.Address, to *batch) (*types.StateAccount, []storedSlot) {
	from, account := w.plan.Alloc[address], w.allocated(address)
	if len(from.Code) > 0 {
		rawdb.WriteCode(to, common.BytesToHash(account.CodeHash), from.Code)
	}
	var slots []storedSlot
	for key, value := range from.Storage {
		if value != (common.Hash{}) {
			slots = append(slots, storedSlot{crypto.Keccak256Hash(key[:]), common.TrimLeftZeroes(value[:])})
		}
	}
	return account, slots
}

// storedSlot is a storage slot as the trie holds it.
type storedSlot struct {
	hash  common.Hash // of its key
	value []byte
}

func (w *stateWriter) writeSlots(to *batch, owner common.Hash, slots []storedSlot) (common.Hash, error) {
	slices.SortFunc(slots, func(a, b storedSlot) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	t := trie.NewStackTrie(w.nodesTo(to, owner))
	for _, s := range slots {
		blob := encoded(s.value)
		if err := t.Update(s.hash[:], blob); err != nil {
			return common.Hash{}, err
		}
		if w.plan.Flat {
			rawdb.WriteStorageSnapshot(to, owner, s.hash, blob)
		}
		if err := to.writeIfFull(); err != nil {
			return common.Hash{}, err
		}
	}
	return t.Hash(), nil
}

func (w *stateWriter) writeCodes(ctx context.Context) error {
	to := newBatch(w.db)
	for n := range w.codes() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		code := w.code(n)
		hash := crypto.Keccak256Hash(code)
		w.codeHashes.Store(n, hash)
		rawdb.WriteCode(to, hash, code)
		if err := to.writeIfFull(); err != nil {
			return err
		}
	}
	return to.write()
}

// MarkFlat marks the flat state as complete, with its root and its number of accounts.
func MarkFlat(to ethdb.KeyValueWriter, root common.Hash, accounts uint64) {
	rawdb.WriteSnapshotRoot(to, root)
	rawdb.WriteSnapshotGenerator(to, encoded(&chaindata.FlatGenerator{Done: true, Accounts: accounts}))
}

// encoded is the RLP of a value of a type that can always be encoded.
func encoded(value any) []byte {
	blob, err := rlp.EncodeToBytes(value)
	if err != nil {
		panic(err)
	}
	return blob
}
