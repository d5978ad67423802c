package probetest

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/cache"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/util"

	"getio/system/device"
)

// goleveldb is a database of goleveldb.
type goleveldb struct {
	db       *leveldb.DB
	files    storage.Storage
	accesses *atomic.Int64
}

func openGoleveldb(dir string, bytes int64, tables tableReads) (store, error) {
	files, err := storage.OpenFile(dir, false)
	if err != nil {
		return nil, err
	}
	accesses := new(atomic.Int64)
	cacher := &opt.CacherFunc{NewFunc: func(capacity int) cache.Cacher { return &countingCacher{cache.NewLRU(capacity), accesses} }}
	db, err := leveldb.Open(&notingStorage{files, tables}, &opt.Options{
		BlockCacher: cacher, BlockCacheCapacity: int(bytes), OpenFilesCacheCapacity: 50, WriteBuffer: 1 << 20, Filter: filter.NewBloomFilter(10),
	})
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return &goleveldb{db, files, accesses}, nil
}

// Get asks for the value or, for half of the keys, whether the key exists.
func (g *goleveldb) Get(key []byte) (bool, error) {
	if key[32]%2 == 0 {
		return g.db.Has(key, nil)
	}
	_, err := g.db.Get(key, nil)
	if errors.Is(err, leveldb.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (g *goleveldb) Write(keys [][]byte, value []byte) error {
	b := new(leveldb.Batch)
	for _, k := range keys {
		b.Put(k, value)
	}
	return g.db.Write(b, nil)
}

func (g *goleveldb) Scan(from []byte, n int) error {
	it := g.db.NewIterator(&util.Range{Start: from}, nil)
	defer it.Release()
	for ; n > 0 && it.Next(); n-- {
	}
	return it.Error()
}

func (g *goleveldb) CacheAccesses() int64 { return g.accesses.Load() }

func (g *goleveldb) Close() error { return errors.Join(g.db.Close(), g.files.Close()) }

// countingCacher counts what Gets look up in a cache: each block that was found, or was not and then
// put into it, is promoted. Gets also make compactions, which use the cache.
type countingCacher struct {
	cache.Cacher
	accesses *atomic.Int64
}

func (c *countingCacher) Promote(n *cache.Node) {
	if belowGet() {
		c.accesses.Add(1)
	}
	c.Cacher.Promote(n)
}

// notingStorage notes reads of tables.
type notingStorage struct {
	storage.Storage
	tables tableReads
}

func (s *notingStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	r, err := s.Storage.Open(fd)
	if err != nil || fd.Type != storage.TypeTable {
		return r, err
	}
	reader, err := s.tables.reader(r.(device.File), fd.String())
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &notedTable{r, reader}, nil
}

// Remove keeps tables, as in Pebble's file systems here.
func (s *notingStorage) Remove(fd storage.FileDesc) error {
	if fd.Type == storage.TypeTable {
		return nil
	}
	return s.Storage.Remove(fd)
}

type notedTable struct {
	storage.Reader
	reader io.ReaderAt
}

func (t *notedTable) ReadAt(b []byte, off int64) (int, error) { return t.reader.ReadAt(b, off) }
