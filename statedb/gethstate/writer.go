package gethstate

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/trie/trienode"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/hashdb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"

	"getio/engine"
	"getio/ethereum/chainload"
	"getio/statedb/adapter"
)

// Sizes while writing: half of the 256 MiB that stores have for caches goes to Pebble, the rest to
// the tries.
const (
	storeCache   = 128 // MiB
	storeHandles = 2048
	cleanTries   = 64 << 20
	dirtyTries   = 64 << 20 // geth's default write buffer of the path scheme
)

// writer changes the state through go-ethereum's tries, as geth does after each block. A block has
// all changes of a commit.
type writer struct {
	scheme  string
	kv      *keyValues
	db      ethdb.Database
	tries   *triedb.Database
	root    common.Hash
	block   uint64
	changes map[common.Hash][]byte // since the last commit
}

func newWriter(ctx context.Context, dir, scheme string, root common.Hash) (*writer, error) {
	kv, err := openKeyValues(ctx, dir, scheme == rawdb.PathScheme)
	if err != nil {
		return nil, err
	}
	w := &writer{scheme: scheme, kv: kv, db: rawdb.NewDatabase(kv), root: root, changes: map[common.Hash][]byte{}}
	if number, ok := rawdb.ReadHeaderNumber(w.db, rawdb.ReadHeadHeaderHash(w.db)); ok {
		w.block = number
	} else {
		w.writeGenesis()
	}
	w.tries = triedb.NewDatabase(w.db, w.config())
	return w, nil
}

func (w *writer) config() *triedb.Config {
	if w.scheme == rawdb.HashScheme {
		return &triedb.Config{HashDB: &hashdb.Config{CleanCacheSize: cleanTries}}
	}
	path := *pathdb.Defaults
	path.TrieCleanSize, path.StateCleanSize, path.WriteBufferSize = cleanTries, 0, dirtyTries
	// In the background, a flush of the buffer and the notes of later blocks overtake each other: what
	// Pebble numbers, and so the tables, would differ from load to load.
	path.NoAsyncFlush = true
	return &triedb.Config{PathDB: &path}
}

// writeGenesis writes a first block with an empty state. The flat state of the path scheme is
// complete from there on.
func (w *writer) writeGenesis() {
	if w.scheme == rawdb.PathScheme {
		chainload.MarkFlat(w.db, types.EmptyRootHash, 0)
	}
	genesis := w.writeHead(common.Hash{}, types.EmptyRootHash)
	rawdb.WriteChainConfig(w.db, genesis, params.MergedTestChainConfig)
}

func (w *writer) writeHead(parent, root common.Hash) common.Hash {
	header := &types.Header{
		ParentHash: parent, Root: root, Number: new(big.Int).SetUint64(w.block), Difficulty: common.Big0,
		UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash,
	}
	hash := header.Hash()
	rawdb.WriteHeader(w.db, header)
	rawdb.WriteCanonicalHash(w.db, hash, w.block)
	rawdb.WriteHeadHeaderHash(w.db, hash)
	rawdb.WriteHeadBlockHash(w.db, hash)
	return hash
}

func (w *writer) load(records []adapter.Record) {
	for _, r := range records {
		w.changes[common.BytesToHash(r.Key)] = bytes.Clone(r.Value)
	}
}

// commit applies the changes to the tries in memory and returns the new root.
func (w *writer) commit() (common.Hash, error) {
	accounts, err := trie.New(trie.StateTrieID(w.root), w.tries)
	if err != nil {
		return w.root, err
	}
	states := triedb.NewStateSet()
	for _, hash := range slices.SortedFunc(maps.Keys(w.changes), common.Hash.Cmp) {
		value := w.changes[hash]
		if err := accounts.Update(hash[:], value); err != nil {
			return w.root, err
		}
		states.Accounts[hash] = slim(value)
	}
	root, nodes := accounts.Commit(false)
	clear(w.changes)
	if nodes == nil || root == w.root {
		return w.root, nil
	}
	w.block++
	if err := w.tries.Update(root, w.root, w.block, trienode.NewWithNodeSet(nodes), states); err != nil {
		return w.root, err
	}
	old := w.root
	w.root = root
	return root, w.keep(root, old)
}

// keep does what a node does with the tries of a new state. The path scheme needs nothing; under
// the hash scheme old tries are dropped from memory.
func (w *writer) keep(root, old common.Hash) error {
	if w.scheme == rawdb.PathScheme {
		return nil
	}
	if err := w.tries.Reference(root, common.Hash{}); err != nil {
		return err
	}
	if old == types.EmptyRootHash {
		return nil
	}
	return w.tries.Dereference(old)
}

// close writes the state and a block that has it, waits until the store has nothing to do, and closes it.
func (w *writer) close(ctx context.Context, working func(engine.SettleProgress)) error {
	err := errors.Join(w.flush(), w.tries.Close())
	if err == nil {
		err = w.kv.finish(ctx, working)
	}
	return errors.Join(err, w.db.Close())
}

func (w *writer) flush() error {
	head := rawdb.ReadHeadHeaderHash(w.db)
	if number, _ := rawdb.ReadHeaderNumber(w.db, head); number == w.block {
		return nil // nothing was committed
	}
	if err := w.tries.Commit(w.root, false); err != nil {
		return err
	}
	w.writeHead(head, w.root)
	return nil
}

// slim is an account as the flat state has it: without what is empty. Bytes that are no account,
// which tests of the protocol load, stay as they are.
func slim(value []byte) []byte {
	var account types.StateAccount
	if rlp.DecodeBytes(value, &account) != nil {
		return value
	}
	return types.SlimAccountRLP(account)
}

// full is the opposite of slim.
func full(blob []byte) []byte {
	if account, err := types.FullAccountRLP(blob); err == nil {
		return account
	}
	return blob
}
