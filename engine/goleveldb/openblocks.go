package goleveldb

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/syndtr/goleveldb/leveldb/cache"
	"github.com/syndtr/goleveldb/leveldb/util"

	"getio/engine/goleveldb/ldbfile"
)

// openBlocks keeps the filters and indexes of open tables in memory outside the block cache, as LevelDB in C++ does
// (table/table.cc, Table::Open and ReadMeta). The first Get that visits a table after its open reads both.
type openBlocks struct {
	catalog *ldbfile.Catalog
	loaded  atomic.Int64 // blocks read to be kept
	closes  bool         // tables may be closed while the database is open
	cache   *sharded     // the block cache

	mu     sync.Mutex
	tables map[uint64]*openTable // by file number
}

// openTable holds the blocks in memory of a table that is open.
type openTable struct {
	kept   []*cache.Handle
	cached map[uint64]*cache.Node // by offset; some may have left the cache
}

// table returns an open table. The caller holds the lock.
func (b *openBlocks) table(file uint64) *openTable {
	t := b.tables[file]
	if t == nil {
		t = &openTable{cached: map[uint64]*cache.Node{}}
		b.tables[file] = t
	}
	return t
}

// keep keeps the block that was looked up until release, if it is a filter or index.
func (b *openBlocks) keep(n *cache.Node) (kept bool) {
	if int64(n.Key()) < b.catalog.Regions(n.NS()).Data.End {
		return false
	}
	// No other cache keeps the node, so its data is free to say that this one does.
	if atomic.CompareAndSwapPointer(&n.CacheData, nil, unsafe.Pointer(b)) {
		b.loaded.Add(1)
		b.mu.Lock()
		t := b.table(n.NS())
		t.kept = append(t.kept, n.GetHandle())
		b.mu.Unlock()
	}
	return true
}

// release frees the blocks of a table that is closed. Gets do not find its cached blocks again: a table that is opened
// gets a new number in the cache. They take their room until they are evicted, which Evict of the library's LRU does too.
func (b *openBlocks) release(file uint64) {
	b.mu.Lock()
	t := b.table(file)
	delete(b.tables, file)
	b.mu.Unlock()
	for _, h := range t.kept {
		h.Release()
	}
	for _, n := range t.cached {
		b.cache.shard(n).Evict(n)
	}
}

const (
	// shardsOfOriginal is the number of shards of the caches of LevelDB in C++ (util/cache.cc).
	shardsOfOriginal = 16
	// Of max_open_files, it keeps some back for other files than tables, but keeps at least so many tables open
	// (db/db_impl.cc, kNumNonTableCacheFiles and SanitizeOptions).
	filesBesidesTables = 10
	leastTables        = 64
)

// sharded is a cache of LevelDB in C++: LRUs that share its capacity, by the hash of a key.
type sharded struct {
	cache.Cacher // the first shard
	shards       [shardsOfOriginal]cache.Cacher
	key          func(n *cache.Node) []byte
	onLookup     onLookup
}

func (s *sharded) New(capacity int) cache.Cacher {
	for i := range s.shards {
		s.shards[i] = cache.NewLRU((capacity + shardsOfOriginal - 1) / shardsOfOriginal)
	}
	s.Cacher = s.shards[0]
	return s
}

func (s *sharded) Promote(n *cache.Node) {
	if s.onLookup(n) {
		s.shard(n).Promote(n)
	}
}

func (s *sharded) shard(n *cache.Node) cache.Cacher { return s.shards[util.Hash(s.key(n), 0)>>28] }

func (s *sharded) EvictAll() {
	for _, shard := range s.shards {
		shard.EvictAll()
	}
}

// useCache makes the block cache. Blocks that are kept are not accessed in it.
func (b *openBlocks) useCache(a *accesses) {
	b.cache = &sharded{
		key: func(n *cache.Node) []byte {
			return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, n.NS()), n.Key())
		},
		onLookup: func(n *cache.Node) (keep bool) {
			if b.keep(n) {
				return false
			}
			if b.closes {
				b.mu.Lock()
				b.table(n.NS()).cached[n.Key()] = n
				b.mu.Unlock()
			}
			a.block(n.NS(), n.Key())
			return true
		},
	}
}

// tableCacherOfOriginal is the cache of open tables of LevelDB in C++, whose key is a table's number (db/table_cache.cc).
func (a *accesses) tableCacherOfOriginal() *sharded {
	return &sharded{
		key:      func(n *cache.Node) []byte { return binary.LittleEndian.AppendUint64(nil, n.Key()) },
		onLookup: a.tableCacher(),
	}
}
