package pebbledb_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	pebblev1 "github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/pebble/pebbledb"
)

const cacheBytes = 16 << 20

// TestMemtablesOfWriter checks RunningMemtables with the library's own numbers.
func TestMemtablesOfWriter(t *testing.T) {
	const memtable = 2 << 20
	dir := t.TempDir()
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	db, err := pebble.Open(dir, &pebble.Options{MemTableSize: memtable, Cache: cache, Logger: quietLogger{t}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()

	value := bytes.Repeat([]byte{1}, memtable/8)
	for i := range byte(6) { // grow the memtable to its full size, and flush it
		for j := range byte(3) {
			require.NoError(t, db.Set([]byte{i, j}, value, pebble.NoSync))
		}
		require.NoError(t, db.Flush())
	}
	m := db.Metrics().MemTable
	require.EqualValues(t, 1, m.Count)
	require.EqualValues(t, pebbledb.RunningMemtables*memtable, m.Size+m.ZombieSize)
	require.False(t, pebbledb.FirstMemtable(dir))
	require.Equal(t, 0.25, pebbledb.MemtableShare(dir, 2))
}

// TestMemtablesAfterReopening checks ReopenedMemtables with the libraries' own numbers. geth always leaves a
// record in the log: its marker of an unclean shutdown.
func TestMemtablesAfterReopening(t *testing.T) {
	// Each opens a database, writes a record, and returns what memtables took before.
	runs := map[int]func(dir string) uint64{
		1: func(dir string) uint64 {
			cache := pebblev1.NewCache(cacheBytes)
			defer cache.Unref()
			db, err := pebblev1.Open(dir, &pebblev1.Options{MemTableSize: 2 << 20, Cache: cache, Logger: quietLogger{t}})
			require.NoError(t, err)
			m := db.Metrics().MemTable
			require.NoError(t, errors.Join(db.Set([]byte("running"), []byte("since today"), pebblev1.Sync), db.Close()))
			return m.Size + m.ZombieSize
		},
		2: func(dir string) uint64 {
			cache := pebble.NewCache(cacheBytes)
			defer cache.Unref()
			db, err := pebble.Open(dir, &pebble.Options{MemTableSize: 2 << 20, Cache: cache, Logger: quietLogger{t}})
			require.NoError(t, err)
			m := db.Metrics().MemTable
			require.NoError(t, errors.Join(db.Set([]byte("running"), []byte("since today"), pebble.Sync), db.Close()))
			return m.Size + m.ZombieSize
		},
	}
	for version, run := range runs {
		dir := t.TempDir()
		run(dir)
		bytes := run(dir)
		require.EqualValues(t, pebbledb.ReopenedMemtables(version), bytes)
		require.True(t, pebbledb.FirstMemtable(dir))
		require.Equal(t, float64(bytes)/cacheBytes, pebbledb.MemtableShare(dir, version))
	}
}

// TestGrowingMemtables: two memtables double with each log that was begun, up to their full size.
func TestGrowingMemtables(t *testing.T) {
	dir := t.TempDir()
	name := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600)) }
	name("OPTIONS-000350")
	for log, want := range map[string]int64{"000349": 3 << 19, "000351": 3 << 20, "000352": 3 << 21, "000360": 128 << 20, "000399": 128 << 20} {
		name(log + ".log")
		assert.Equal(t, want, pebbledb.RunningMemtableBytes(dir, 2, 64<<20), log)
		require.NoError(t, os.Remove(filepath.Join(dir, log+".log")))
	}
}

func TestFirstMemtable(t *testing.T) {
	dir := t.TempDir()
	name := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600)) }
	assert.False(t, pebbledb.FirstMemtable(dir))
	name("000351.log")
	assert.False(t, pebbledb.FirstMemtable(dir))
	name("OPTIONS-000350")
	assert.False(t, pebbledb.FirstMemtable(dir), "the log is of a second memtable")
	name("OPTIONS-000352")
	assert.True(t, pebbledb.FirstMemtable(dir))
	assert.Zero(t, pebbledb.MemtableShare(dir, 2), "the options file is empty")
}

// quietLogger logs to the test.
type quietLogger struct{ *testing.T }

func (l quietLogger) Infof(format string, args ...any)  { l.Logf(format, args...) }
func (l quietLogger) Errorf(format string, args ...any) { l.T.Errorf(format, args...) }
