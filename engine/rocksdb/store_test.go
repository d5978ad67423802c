//go:build rocksdb

package rocksdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
	"getio/internal/truth/truthtest"
	"getio/system/filelock"
)

func storeOf(t *testing.T, dir string, overrides ...string) engine.Store {
	t.Helper()
	s, err := Engine.OpenStore(context.Background(), dir, configured(t, "", overrides...))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func openDB(t *testing.T, s engine.Store, o engine.OpenConfig) *db {
	t.Helper()
	d, err := s.Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d.(*db)
}

func requireValue(t *testing.T, d *db, key, want string) {
	t.Helper()
	if value, found, err := d.Get([]byte(key), nil); err != nil || !found || string(value) != want {
		t.Errorf("%q, %v, %v", value, found, err)
	}
}

// RocksDB itself removes .trash files from a directory that it opens and makes LOG and other
// files that are missing.
func TestReadingChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "mixed", dir)
	for _, name := range []string{filelock.Name, "LOG", "IDENTITY"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "000099.sst.trash"), []byte("x"), 0o600))
	enginetest.RequireUnchanged(t, dir, func() {
		d := openDB(t, storeOf(t, dir), engine.OpenConfig{CacheBytes: 1 << 20})
		requireValue(t, d, "key 000001", "some value, number 1")
	})
}

// While a Store is open, this process cannot open the database for writing either.
func TestOpenStoreLocksOutWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "mixed", dir)
	storeOf(t, dir)
	enginetest.RequireUnchanged(t, dir, func() {
		_, resume := Engine.Resume(dir, configured(t, ""))
		_, update := Engine.(engine.Updater).OpenUpdating(dir, configured(t, ""), engine.OpenConfig{CacheBytes: 1 << 20})
		if !errors.Is(resume, filelock.ErrLocked) || !errors.Is(update, filelock.ErrLocked) {
			t.Errorf("errors %v, %v", resume, update)
		}
	})
}

// A database with deleted ranges, deletions, hash indexes of data blocks, a trained
// dictionary and a log: every Get finds what was written, every block is of a known kind, and
// the sampler draws keys that were set.
func TestMixedTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "mixed", dir)
	s := storeOf(t, dir)
	if s.Info().WALKeys != 1 || s.Info().WALBytes == 0 || s.Info().Comparer != "leveldb.BytewiseComparator" {
		t.Errorf("%+v", s.Info())
	}
	levels, _ := s.Properties()
	var all engine.LevelProperties
	for _, l := range levels {
		all.RangeDeletes += l.RangeDeletes
		all.Deletes += l.Deletes
		all.Sets += l.Sets
	}
	if all.RangeDeletes != 1 || all.Deletes != 1 || all.Sets < 5000 {
		t.Errorf("%+v", all)
	}
	for _, cache := range []int64{0, 4 << 20} {
		d := openDB(t, s, engine.OpenConfig{CacheBytes: cache, MaxOpenFiles: minOpenFiles})
		run := enginetest.Measured(t, d, func() {
			for i := range 5200 {
				want := fmt.Sprintf("some value, number %d", i)
				there := i < 1000 || i >= 2000 && i < 5100 && i != 4999
				if i >= 4900 {
					want = "newer"
				}
				value, found, err := d.Get(fmt.Appendf(nil, "key %06d", i), nil)
				require.NoError(t, err)
				if found != there || found && string(value) != want {
					t.Fatalf("key %d: %q, found %v", i, value, found)
				}
			}
		})
		assert.NotZero(t, run.Reads.Count[readpath.Other], "neither deleted ranges nor a dictionary was read")
	}
	sampler, err := s.Sampler()
	require.NoError(t, err)
	defer sampler.Close()
	distinct := map[string]bool{}
	for _, key := range enginetest.Draw(t, sampler, 1, 2000) {
		require.True(t, bytes.HasPrefix(key, []byte("key 00")), "key %q", key)
		distinct[string(key)] = true
	}
	assert.GreaterOrEqual(t, len(distinct), 1200)
}

// TestIngestedTable: a table into which RocksDB wrote its sequence number after the checksums is read as RocksDB reads
// it, over the older table beside it.
func TestIngestedTable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "ingested", dir)
	enginetest.RequireUnchanged(t, dir, func() {
		s := storeOf(t, dir)
		assert.EqualValues(t, 1500, s.Shape().Total().Records)
		d := openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20})
		requireValue(t, d, "key 000001", "older")
		requireValue(t, d, "key 000002", "ingested")
		sampler, err := s.Sampler()
		require.NoError(t, err)
		defer sampler.Close()
		keys, err := sampler.Draw(t.Context(), []func() uint64{func() uint64 { return 1 << 63 }})
		require.NoError(t, err)
		_, found, err := d.Get(keys[0], nil)
		require.NoError(t, err)
		assert.True(t, found, "%s", keys[0])
	})
}

func TestValuesLargerThanTheBuffer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	l, err := Engine.Create(dir, configured(t, ""))
	require.NoError(t, err)
	long := bytes.Repeat([]byte("long "), 100_000)
	require.NoError(t, l.Set([]byte("long"), long))
	require.NoError(t, l.Set([]byte("none"), nil))
	require.NoError(t, l.Settle(context.Background(), nil))
	require.NoError(t, l.Close())
	d := openDB(t, storeOf(t, dir), engine.OpenConfig{CacheBytes: 1 << 20})
	buf := make([]byte, 7)
	for range 2 {
		value, found, err := d.Get([]byte("long"), buf)
		require.NoError(t, err)
		if !found || !bytes.Equal(value, long) {
			t.Errorf("%d bytes, found %v", len(value), found)
		}
		buf = value
	}
	requireValue(t, d, "none", "")
	require.NoError(t, d.Scan([]byte("long"), []byte("none"), func(key, value []byte) error {
		if string(key) != "long" || !bytes.Equal(value, long) {
			t.Errorf("key %q, %d bytes", key, len(value))
		}
		return nil
	}))
}

func TestColumnFamilies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "families", dir)
	_, err := Engine.OpenStore(context.Background(), dir, configured(t, "", "column_family=none"))
	assert.ErrorContains(t, err, `has no column family "none": read one of default, state, 0x0a, blobs with`)
	empty := storeOf(t, dir)
	_, err = empty.Sampler()
	assert.ErrorContains(t, err, `holds nothing in its column family "default": read another of default, state, 0x0a, blobs with`)
	families := empty.Info().Families
	require.Len(t, families, 4)
	for i, want := range []engine.Family{{Name: "default"}, {Name: "state", Tables: 1}, {Name: "0x0a", Tables: 1}, {Name: "blobs", Tables: 1, BlobFiles: 1}} {
		got := families[i]
		assert.Equal(t, want.Tables > 0, got.Bytes > 0)
		assert.Equal(t, want.BlobFiles > 0, got.BlobBytes > 1000*20)
		got.Bytes, got.BlobBytes = 0, 0
		assert.Equal(t, want, got)
	}
	s := storeOf(t, dir, "column_family=state")
	d := openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20})
	requireValue(t, d, "key 000500", "state")
	assert.EqualValues(t, 1000, s.Shape().Total().Records)

	s = storeOf(t, dir, "column_family=0x0a")
	requireValue(t, openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20}), "key 000500", "binary")
	assert.Equal(t, "1024", s.Info().OptionsFile["Options.block_size"])
	assert.Zero(t, s.Shape().BlobFiles)

	s = storeOf(t, dir, "column_family=blobs")
	requireValue(t, openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20}), "key 000500", "a value that is long")
	assert.EqualValues(t, 1, s.Shape().BlobFiles)
	assert.Equal(t, families[3].BlobBytes, s.Shape().BlobBytes)
}

func TestFamilyNames(t *testing.T) {
	for name, text := range map[string]string{"default": "default", "\x01": "0x01", "a b": "0x612062", "0x01": "0x30783031", "": "", "\xff": "0xff"} {
		assert.Equal(t, text, familyText(name))
		assert.Equal(t, name, familyName(text))
	}
	assert.Equal(t, "0xzz", familyName("0xzz"))
}

// The charges of all blocks of a tree add up to the usage of a cache that holds them.
func TestCacheCharge(t *testing.T) {
	g := grow(t, "block_size=4KiB", "metadata_block_size=4KiB", "compression=none")
	d := openDB(t, g.store, engine.OpenConfig{CacheBytes: 64 << 20})
	for _, key := range g.Keys {
		_, _, err := d.Get(key, nil)
		require.NoError(t, err)
	}
	var blocks, want int64
	for _, l := range g.store.Shape().Levels {
		for _, table := range l.TableList {
			want += table.DataBlocks*g.store.CacheCharge(table.DataBytes/table.DataBlocks-5) + g.store.CacheCharge(table.TopIndexBytes) +
				table.IndexBlocks*g.store.CacheCharge(table.IndexBytes/max(table.IndexBlocks, 1)) + g.store.CacheCharge(table.FilterBytes)
			blocks += table.DataBlocks
		}
	}
	got := number64(d.library.db, "rocksdb.block-cache-usage")
	if off := float64(want)/float64(got) - 1; off < -0.02 || off > 0.02 {
		t.Errorf("%d data blocks and the rest take %d bytes of the cache, CacheCharge says %d (%+.1f%%)", blocks, got, want, 100*off)
	}
}

// TestIgnoredErrors: an error that RocksDB ignores fails the run's checks.
func TestIgnoredErrors(t *testing.T) {
	f := &files{}
	assert.True(t, f.check().OK)
	err := errors.New("table 7: its block at byte 5 does not match its checksum")
	f.err.Store(&err)
	check := f.check()
	assert.False(t, check.OK)
	assert.Equal(t, err.Error(), check.Detail)
	assert.Equal(t, err, f.explain(errors.New("a table cannot be read")))
	assert.True(t, f.check().OK, "an error that was returned is not ignored")
}
