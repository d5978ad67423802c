// Package pebbletest holds the tests that both Pebble engines run.
package pebbletest

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
)

// Small makes a tree of some thousand keys have several levels and second-level indexes.
var Small = []string{"block_size=512", "index_block_size=512", "target_file_size=64KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB"}

// ManyLevels returns the options and those that make a tree of a few thousand keys have
// many levels.
func ManyLevels(options ...string) []string {
	return append(options, "target_file_size=64KiB", "memtable_size=256KiB", "lbase_max_bytes=64KiB", "l0_stop_writes_threshold=1000")
}

// MemtablesLeaveBlockMemory checks that the cache holds its nominal number of bytes of
// blocks even if memtables are larger than the cache. blockBytes returns what it holds.
func MemtablesLeaveBlockMemory(t *testing.T, e engine.Updater, blockBytes func(engine.UpdatingDB) int64) {
	const keys, cache = 60_000, 1 << 20
	const shards, blockSize = 4, 5000 // a shard may exceed its size by a block
	cfg, err := e.Configure("bench_kvdb", []string{"memtable_size=2MiB", "compression=none"})
	require.NoError(t, err)
	dir := loaded(t, e, cfg, keys)
	db, err := e.OpenUpdating(dir, cfg, engine.OpenConfig{CacheBytes: cache})
	require.NoError(t, err)
	require.NoError(t, db.Settle(context.Background(), nil))
	nominal := int64(cache) - db.Cache().Reserved
	for round := range 5 {
		require.NoError(t, overwrite(db.NewBatch(), keys))
		for i := range uint64(keys) {
			_, found, err := db.Get(key(i*7919%keys), nil)
			require.NoError(t, err)
			require.True(t, found, "key %d is missing", i*7919%keys)
		}
		// A flush may end with the last Get: the compensator then still has to take back what
		// it added for the flushed memtable. Or the last batch began a log: after the next one, which
		// is too short to be written to the log at once, it takes that back, too.
		nominally := func() bool {
			size := blockBytes(db)
			if size >= nominal*3/4 && size <= nominal+shards*blockSize {
				return true
			}
			assert.NoError(t, overwrite(db.NewBatch(), 1))
			return false
		}
		if !assert.Eventually(t, nominally, 10*time.Second, time.Millisecond) {
			t.Errorf("after round %d the cache holds %d of %d bytes of blocks", round, blockBytes(db), nominal)
		}
	}
	if flushed := db.Activity().Flushes; flushed < 5 {
		t.Errorf("%d flushes", flushed)
	}
	require.NoError(t, db.Settle(context.Background(), nil))
	require.NoError(t, db.Close())
}

// MemtablesTakeTheirPart checks that memtables of a running program take room from blocks: a larger cache with larger
// memtables reads the same as a smaller cache without them.
func MemtablesTakeTheirPart(t *testing.T, e engine.Updater) {
	const keys, memtables = 20_000, 1 << 20
	cfg, err := e.Configure("bench_kvdb", Small)
	require.NoError(t, err)
	dir := loaded(t, e, cfg, keys)
	s, err := e.OpenStore(context.Background(), dir, cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()

	reads := func(o engine.OpenConfig) (engine.Cache, int64) {
		o.Shards = 4
		db, err := s.Open(o)
		require.NoError(t, err)
		for i := range uint64(2 * keys) {
			_, found, err := db.Get(key(i*7919%keys), nil)
			require.NoError(t, err)
			require.True(t, found)
		}
		c, count := db.Cache(), db.Counts().Reads.Count.Sum()
		require.NoError(t, db.Close())
		return c, count
	}
	small, want := reads(engine.OpenConfig{CacheBytes: 1 << 20})
	large, got := reads(engine.OpenConfig{CacheBytes: 1<<20 - small.Reserved + memtables, Memtables: memtables})
	assert.EqualValues(t, memtables, large.Reserved)
	assert.Equal(t, want, got)
	_, without := reads(engine.OpenConfig{CacheBytes: large.Bytes})
	assert.Less(t, without, got, "memtables make no difference")
	filled, _ := reads(engine.OpenConfig{CacheBytes: 1 << 20, Memtables: 2 << 20})
	assert.Equal(t, filled.Bytes-small.Reserved, filled.Reserved, "blocks keep a part")
}

// loaded returns the directory of a new, settled database.
func loaded(t *testing.T, e engine.Updater, cfg engine.Config, keys uint64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	loader, err := e.Create(dir, cfg)
	require.NoError(t, err)
	require.NoError(t, overwrite(loader.NewBatch(), keys))
	require.NoError(t, loader.Settle(context.Background(), nil))
	require.NoError(t, loader.Close())
	return dir
}

// overwrite writes keys with values of 100 bytes, and closes the batch.
func overwrite(batch engine.Batch, keys uint64) error {
	defer batch.Close()
	for i := range keys {
		if err := batch.Set(key(i), make([]byte, 100)); err != nil {
			return err
		}
		if i%100 == 99 || i+1 == keys {
			if err := batch.Commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
