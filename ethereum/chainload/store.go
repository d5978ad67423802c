package chainload

import (
	"fmt"
	"path/filepath"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"

	"getio/client/chaindata"
)

// geth's own sizes for a node with --cache 1024, half of which goes to the database.
const (
	storeCache   = 512 // MiB
	storeHandles = 2048
)

// store is a key-value store of go-ethereum's.
type store struct {
	preset string // getio's name of geth's configuration
	open   func(dir string) (ethdb.KeyValueStore, error)
}

// stores by the name of the getio engine that reads them.
var stores = map[string]store{
	"pebblev1":  {"geth-v1", opens(pebble.NewV1)},
	"pebblev2":  {"geth", opens(pebble.New)},
	"goleveldb": {"geth-leveldb", opens(leveldb.New)},
}

func opens[S ethdb.KeyValueStore](open func(dir string, cache, handles int, namespace string, readonly bool) (S, error)) func(string) (ethdb.KeyValueStore, error) {
	return func(dir string) (ethdb.KeyValueStore, error) { return open(dir, storeCache, storeHandles, "", false) }
}

// openStore opens a chaindata directory for writing, freezer included.
func openStore(engine, dir string) (ethdb.Database, error) {
	kv, err := stores[engine].open(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened for writing: %w", dir, err)
	}
	db, err := rawdb.Open(kv, rawdb.OpenOptions{Ancient: filepath.Join(dir, chaindata.AncientDir)})
	if err != nil {
		kv.Close()
		return nil, fmt.Errorf("the freezer of %s cannot be opened for writing: %w", dir, err)
	}
	return db, nil
}

// batch is a batch that is written when it is full.
type batch struct{ ethdb.Batch }

func newBatch(db ethdb.KeyValueStore) *batch { return &batch{db.NewBatchWithSize(2 * fullBatch)} }

// fullBatch is the size of a full batch in bytes: large enough to make writes cheap, and
// small compared with a memtable.
const fullBatch = 1 << 20

func (b *batch) writeIfFull() error {
	if b.ValueSize() < fullBatch {
		return nil
	}
	return b.write()
}

func (b *batch) write() error {
	if err := b.Write(); err != nil {
		return err
	}
	b.Reset()
	return nil
}
