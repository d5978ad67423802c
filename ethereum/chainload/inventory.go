package chainload

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/ethdb"

	"getio/client/chaindata"
	"getio/engine"
	"getio/workload"
)

// inventory is what a chain holds after it was verified. Closing the chain, opening it again and letting it settle must not
// change it: a log that seems to end early loses keys without an error, and go-ethereum empties a table of a freezer if it
// fails to read the table's index (core/rawdb/freezer_table.go, repair).
type inventory struct {
	records uint64
	sum     [sha256.Size]byte // of all keys and values in order
	freezer []chaindata.Table // items and sizes
}

// takeInventory reads a chain through go-ethereum.
func (j *Job) takeInventory(ctx context.Context, db ethdb.Database, dir string) (*inventory, error) {
	s := j.summer(ctx)
	it := db.NewIterator(nil, nil)
	defer it.Release()
	for it.Next() {
		if err := s.add(it.Key(), it.Value()); err != nil {
			return nil, err
		}
	}
	if err := it.Error(); err != nil {
		return nil, fmt.Errorf("the chain that was just written cannot be read (%w): check the disk", err)
	}
	freezer, err := chaindata.Freezers(filepath.Join(dir, chaindata.AncientDir))
	return &inventory{s.records, s.sum(), freezer}, err
}

// requireInventory reads a settled chain through getio's engine, and returns an error if it holds anything else.
func (j *Job) requireInventory(ctx context.Context, dir string, want *inventory) error {
	freezer, err := chaindata.Freezers(filepath.Join(dir, chaindata.AncientDir))
	if err != nil {
		return err
	}
	if !slices.Equal(freezer, want.freezer) {
		return fmt.Errorf("the freezer in %s changed after it was written: check the disk", filepath.Join(dir, chaindata.AncientDir))
	}
	store, err := OpenReadOnly(ctx, j.Engine, dir)
	if err != nil {
		return err
	}
	defer store.Close()
	db, err := store.Open(engine.OpenConfig{CacheBytes: inventoryCache, MaxOpenFiles: engine.AuxiliaryOpenFiles, Operation: workload.Scan})
	if err != nil {
		return err
	}
	defer db.Close()
	ordered, err := engine.AsOrdered(db, store.Info())
	if err != nil {
		return err
	}
	s := j.summer(ctx)
	if err := ordered.Scan(nil, nil, s.add); err != nil {
		return err
	}
	if s.records != want.records || s.sum() != want.sum {
		return fmt.Errorf("%s has other contents than were written (%d of %d records): check the disk", dir, s.records, want.records)
	}
	return nil
}

// inventoryCache is the block cache for reading a whole store once, in bytes.
const inventoryCache = 8 << 20

// summer sums records in the order of their keys.
type summer struct {
	ctx     context.Context
	report  func(records uint64)
	records uint64
	hash    hash.Hash
}

func (j *Job) summer(ctx context.Context) *summer {
	return &summer{ctx: ctx, hash: sha256.New(), report: func(records uint64) { j.report("compare", records, 0, "records") }}
}

func (s *summer) add(key, value []byte) error {
	const often = 1 << 14
	if s.records%often == 0 {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		s.report(s.records)
	}
	s.records++
	var lengths [8]byte
	binary.BigEndian.PutUint32(lengths[:], uint32(len(key)))
	binary.BigEndian.PutUint32(lengths[4:], uint32(len(value)))
	s.hash.Write(lengths[:])
	s.hash.Write(key)
	s.hash.Write(value)
	return nil
}

func (s *summer) sum() (sum [sha256.Size]byte) { return [sha256.Size]byte(s.hash.Sum(nil)) }
