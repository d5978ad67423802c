package pebbledb_test

import (
	"bytes"
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
	dir := t.TempDir()
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	open := func() *pebble.DB {
		db, err := pebble.Open(dir, &pebble.Options{MemTableSize: 2 << 20, Cache: cache, Logger: quietLogger{t}})
		require.NoError(t, err)
		return db
	}
	db := open()
	require.NoError(t, db.Set([]byte("running"), []byte("since today"), pebble.Sync))
	require.NoError(t, db.Close())
	db = open()
	defer func() { require.NoError(t, db.Close()) }()
	m := db.Metrics().MemTable
	requireReopened(t, dir, 2, m.Size+m.ZombieSize)
}

// TestMemtablesAfterReopeningV1 is the same for version 1.
func TestMemtablesAfterReopeningV1(t *testing.T) {
	dir := t.TempDir()
	cache := pebblev1.NewCache(cacheBytes)
	defer cache.Unref()
	open := func() *pebblev1.DB {
		db, err := pebblev1.Open(dir, &pebblev1.Options{MemTableSize: 2 << 20, Cache: cache, Logger: quietLogger{t}})
		require.NoError(t, err)
		return db
	}
	db := open()
	require.NoError(t, db.Set([]byte("running"), []byte("since today"), pebblev1.Sync))
	require.NoError(t, db.Close())
	db = open()
	defer func() { require.NoError(t, db.Close()) }()
	m := db.Metrics().MemTable
	requireReopened(t, dir, 1, m.Size+m.ZombieSize)
}

// requireReopened holds what the directory of an open database says against the library's metrics.
func requireReopened(t *testing.T, dir string, version int, bytes uint64) {
	t.Helper()
	require.EqualValues(t, pebbledb.ReopenedMemtables(version), bytes)
	require.True(t, pebbledb.FirstMemtable(dir))
	require.Equal(t, float64(bytes)/cacheBytes, pebbledb.MemtableShare(dir, version))
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
