package goleveldb

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/cache"
	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine"
	"getio/engine/loading"
	"getio/engine/region"
	"getio/internal/enginetest"
	"getio/system/filelock"
)

func deniesEveryWrite(t *testing.T, tree *enginetest.Tree) {
	s := open(t, tree, engine.OpenConfig{}).storage
	table := storage.FileDesc{Type: storage.TypeTable, Num: 5}
	enginetest.RequireUnchanged(t, s.dir.path, func() {
		_, err := s.Create(table)
		for what, err := range map[string]error{
			"create": err, "remove": s.Remove(table), "rename": s.Rename(table, table), "set meta": s.SetMeta(table),
		} {
			assert.ErrorContains(t, err, "opened read-only", what)
		}
	})
	_, err := s.Open(storage.FileDesc{Type: storage.TypeTable, Num: 999})
	assert.ErrorContains(t, err, "000999")
}

// Reading a database without a LOCK file does not make one.
func TestReadingMakesNoLockFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := leveldb.OpenFile(dir, nil)
	require.NoError(t, err)
	require.NoError(t, db.Put([]byte("key"), []byte("value"), nil))
	require.NoError(t, db.Close())
	require.NoError(t, os.Remove(filepath.Join(dir, filelock.Name)))
	cfg, err := Engine.Configure("leveldb", nil)
	require.NoError(t, err)
	tree := &enginetest.Tree{Engine: Engine, Dir: dir, Config: cfg}
	enginetest.RequireUnchanged(t, dir, func() {
		d := open(t, tree, engine.OpenConfig{CacheBytes: 1 << 20})
		if value, found, err := d.Get([]byte("key"), nil); err != nil || !found || string(value) != "value" {
			t.Errorf("%q, %v, %v", value, found, err)
		}
		if info := tree.Store(t).Info(); info.WALKeys != 1 || info.WALBytes == 0 {
			t.Errorf("%+v", info)
		}
	})
}

// While a Store is open, the library cannot open the database for writing.
func locksOutWriters(t *testing.T, tree *enginetest.Tree) {
	tree.Store(t)
	if db, err := leveldb.OpenFile(tree.Dir, nil); !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("error %v", err)
		db.Close()
	}
}

// The cache charges a block the capacity of its buffer: the block size plus 5 bytes, or
// twice that, and at least the size of a larger block.
func cacheChargesBuffers(t *testing.T, tree *enginetest.Tree) {
	s := tree.Store(t).(*store)
	a := &accesses{catalog: s.catalog}
	options := readOptions(s.cfg, engine.OpenConfig{CacheBytes: 64 << 20}, a)
	charged, indexes := map[int]int{}, map[uint64]int{}
	options.BlockCacher = onLookup(func(n *cache.Node) bool {
		if r := s.catalog.Regions(n.NS()); int64(n.Key()) < r.Data.End {
			charged[n.Size()]++
		} else if int64(n.Key()) == r.TopIndex.Off {
			indexes[n.NS()] = n.Size()
		}
		return true
	})
	db, err := leveldb.Open(&readStorage{dir: s.dir, catalog: s.catalog, counter: &region.Counter{}}, options)
	require.NoError(t, err)
	defer db.Close()
	for _, key := range tree.Keys[:2000] {
		_, err := db.Get(key, nil)
		require.NoError(t, err)
	}
	const buffer = 512 + 5
	for _, level := range s.Shape().Levels {
		for _, table := range level.TableList {
			got, want := int64(indexes[table.File]), s.CacheCharge(table.TopIndexBytes)
			fits := got == want || got > want && want > 4*buffer // in the larger buffer of an earlier block
			if got != 0 && !fits {
				t.Errorf("an index of %d bytes was charged %d, CacheCharge says %d", table.TopIndexBytes, got, want)
			}
		}
	}
	assert.NotZero(t, len(indexes), "no index was charged")
	for size, n := range charged {
		if size != buffer && size != 2*buffer && n > 20 { // the last block of a table has any size
			t.Errorf("%d data blocks were charged %d bytes", n, size)
		}
	}
	if charged[2*buffer] < 4*charged[buffer] {
		t.Errorf("%d data blocks were charged twice the block size, %d once", charged[2*buffer], charged[buffer])
	}
}

func TestSyncLogsTracksOpenLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s, err := openWriteStorage(dir, loading.NewFailures())
	require.NoError(t, err)
	defer s.Storage.Close()
	w, err := s.Create(storage.FileDesc{Type: storage.TypeJournal, Num: 3})
	require.NoError(t, err)
	require.Len(t, s.logs, 1)
	_, err = w.Write([]byte("record"))
	require.NoError(t, err)
	require.NoError(t, s.syncLogs())
	require.NoError(t, w.Close())
	assert.Empty(t, s.logs)
	require.NoError(t, s.syncLogs())
	table, err := s.Create(storage.FileDesc{Type: storage.TypeTable, Num: 4})
	require.NoError(t, err)
	assert.Empty(t, s.logs, "a table is taken for a log")
	require.NoError(t, table.Close())
}
