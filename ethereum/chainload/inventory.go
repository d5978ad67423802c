package chainload

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
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

// sum sums the records that scan passes on in the order of their keys.
func (j *Job) sum(ctx context.Context, scan func(add func(key, value []byte) error) error) (*inventory, error) {
	of, sum := &inventory{}, sha256.New()
	err := scan(func(key, value []byte) error {
		const often = 1 << 14
		if of.records%often == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			j.report("compare", of.records, 0, "records")
		}
		of.records++
		var lengths [8]byte
		binary.BigEndian.PutUint32(lengths[:], uint32(len(key)))
		binary.BigEndian.PutUint32(lengths[4:], uint32(len(value)))
		sum.Write(lengths[:])
		sum.Write(key)
		sum.Write(value)
		return nil
	})
	of.sum = [sha256.Size]byte(sum.Sum(nil))
	return of, err
}

// takeInventory reads a chain through go-ethereum.
func (j *Job) takeInventory(ctx context.Context, db ethdb.Database, dir string) (*inventory, error) {
	of, err := j.sum(ctx, func(add func(key, value []byte) error) error {
		it := db.NewIterator(nil, nil)
		defer it.Release()
		for it.Next() {
			if err := add(it.Key(), it.Value()); err != nil {
				return err
			}
		}
		if err := it.Error(); err != nil {
			return fmt.Errorf("the chain that was just written cannot be read (%w): check the disk", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	of.freezer, err = chaindata.Freezers(filepath.Join(dir, chaindata.AncientDir))
	return of, err
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
	is, err := j.sum(ctx, func(add func(key, value []byte) error) error { return ordered.Scan(nil, nil, add) })
	if err != nil {
		return err
	}
	if is.records != want.records || is.sum != want.sum {
		return fmt.Errorf("%s has other contents than were written (%d of %d records): check the disk", dir, is.records, want.records)
	}
	return nil
}

// inventoryCache is the block cache for reading a whole store once, in bytes.
const inventoryCache = 8 << 20
