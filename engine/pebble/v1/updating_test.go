// Code generated from v2/updating_test.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"

	"getio/engine"
)

// TestMemtablesLeaveBlockMemory checks that the cache holds its nominal number of bytes of
// blocks even if memtables are larger than the cache.
func TestMemtablesLeaveBlockMemory(t *testing.T) {
	const keys, cache = 60_000, 1 << 20
	const shards, blockSize = 4, 5000 // a shard may exceed its size by a block
	cfg, err := Engine.Configure("bench_kvdb", []string{"memtable_size=2MiB", "compression=none"})
	check(t, err)
	dir := filepath.Join(t.TempDir(), "db")
	loader, err := Engine.Create(dir, cfg)
	check(t, err)
	check(t, overwrite(loader.NewBatch(), 0, keys))
	check(t, loader.Settle(context.Background(), nil))
	check(t, loader.Close())
	db, err := Engine.(engine.Updater).OpenUpdating(dir, cfg, engine.OpenConfig{CacheBytes: cache})
	check(t, err)
	check(t, db.Settle(context.Background(), nil))
	nominal := int64(cache) - db.Cache().Reserved
	read := func() int64 {
		var key [8]byte
		for i := range uint64(keys) {
			binary.BigEndian.PutUint64(key[:], i*7919%keys)
			_, found, err := db.Get(key[:], nil)
			check(t, err)
			if !found {
				t.Fatalf("key %d is missing", i)
			}
		}
		return db.(*updating).db.pebble.Metrics().BlockCache.Size
	}
	for round := range 5 {
		check(t, overwrite(db.NewBatch(), 0, keys))
		if size := read(); size < nominal*3/4 || size > nominal+shards*blockSize {
			t.Errorf("after round %d the cache holds %d of %d bytes of blocks", round, size, nominal)
		}
	}
	if flushed := db.Activity().Flushes; flushed < 5 {
		t.Errorf("%d flushes", flushed)
	}
	check(t, db.Settle(context.Background(), nil))
	check(t, db.Close())
}

// overwrite writes keys of 8 bytes with values of 100 bytes, and closes the batch.
func overwrite(batch engine.Batch, from, to uint64) error {
	defer batch.Close()
	var key [8]byte
	for i := from; i < to; i++ {
		binary.BigEndian.PutUint64(key[:], i)
		if err := batch.Set(key[:], make([]byte, 100)); err != nil {
			return err
		}
		if i%100 == 99 || i+1 == to {
			if err := batch.Commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
