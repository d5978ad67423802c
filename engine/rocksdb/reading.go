//go:build rocksdb

package rocksdb

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"math/bits"
	"path/filepath"
	"runtime"
	"runtime/cgo"
	"strings"
	"unsafe"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/rocksdb/rocksfile"
)

// reading is a database that the library has open for reading.
type reading struct {
	db    *C.bridge_db
	files *files
	owner cgo.Handle
}

// openReading opens the database, whose tree has the given number of tables.
func openReading(d *directory, c *config, o engine.OpenConfig, f *files, tables int) (*reading, error) {
	return openFamilies(d, c, o, f, tables, false)
}

// openFamilies does the same, and opens all column families if they are to be described.
func openFamilies(d *directory, c *config, o engine.OpenConfig, f *files, tables int, all bool) (*reading, error) {
	var pinned runtime.Pinner
	defer pinned.Unpin()
	how := C.bridge_reading{
		column_family:  text(familyName(c.columnFamily), &pinned),
		cache:          c.blockCache(o.CacheBytes, o.Shards),
		options:        text(d.keptLines(familyName(c.columnFamily))+c.lines(), &pinned),
		max_open_files: C.int(openFiles(c.maxOpenFiles, o.MaxOpenFiles)),
		levels:         C.int(d.levels()),
		no_filters:     boolean(o.NoFilters || c.filterPolicy == null),
		tables:         C.size_t(tables),
		all_families:   boolean(all),
	}
	r := &reading{files: f, owner: cgo.NewHandle(f)}
	if err := failed(C.bridge_open_read(text(d.path, &pinned), &how, C.uintptr_t(r.owner), &r.db)); err != nil {
		r.owner.Delete()
		return nil, f.explain(err)
	}
	if ignored := f.err.Load(); ignored != nil { // by RocksDB, such as that of a damaged filter
		return nil, cmp.Or(*ignored, r.close())
	}
	return r, nil
}

// blockCache configures a cache.
func (c *config) blockCache(bytes int64, shards int) C.bridge_cache {
	return C.bridge_cache{
		bytes: C.int64_t(bytes), shard_bits: shardBits(shards),
		hyper_clock: boolean(c.cache == hyperClock), block_size: C.int64_t(c.blockSize),
	}
}

// shardBits returns the binary logarithm of a number of shards, or -1 for the library's choice.
func shardBits(shards int) C.int {
	if shards == 0 {
		return -1
	}
	return C.int(bits.TrailingZeros(uint(shards)))
}

// openFiles bounds the open tables: as configured, or as asked if that is less.
func openFiles(configured, asked int) int {
	if asked > 0 && (configured < 0 || asked < configured) {
		configured = max(asked, minOpenFiles)
	}
	return configured
}

func (r *reading) close() error {
	defer r.owner.Delete()
	return failed(C.bridge_close(r.db))
}

func (r *reading) comparator() string     { return string(bytesOf(C.bridge_comparator(r.db))) }
func (r *reading) memoryKeys() int64      { return int64(C.bridge_memory_keys(r.db)) }
func (r *reading) preparedRecords() int64 { return int64(C.bridge_prepared_records(r.db)) }

// notApplied says which of the options that apply the library does not have, or not with their values.
func (r *reading) notApplied() (texts []string) {
	for name := range strings.SplitSeq(strings.TrimSuffix(taken(C.bridge_not_applied(r.db)), "\n"), "\n") {
		if name != "" {
			texts = append(texts, fmt.Sprintf("RocksDB %s cannot apply its %s", libraryVersion(), name))
		}
	}
	return texts
}

// defaultOptions lists the library's options by the sections of an options file, with their defaults.
func defaultOptions() string { return taken(C.bridge_default_options()) }

// prefixExtractor is the name of the column family's prefix extractor, as its tables state it; "" if it has none.
func (r *reading) prefixExtractor() string { return taken(C.bridge_prefix_extractor(r.db)) }

// tables lists the tables of the tree, and those of other open column families by file number.
func (r *reading) tables() (list []catalog.Ref, others map[uint64]bool) {
	others = map[uint64]bool{}
	for i := range C.bridge_tables(r.db) {
		t := C.bridge_table_at(r.db, i)
		if t.other != 0 {
			others[uint64(t.number)] = true
			continue
		}
		list = append(list, catalog.Ref{
			Level: int(t.level), File: uint64(t.number), Size: int64(t.size),
			Path:     tablePath(string(bytesOf(t.directory)), uint64(t.number)),
			Smallest: bytesOf(t.smallest), Largest: bytesOf(t.largest),
			SmallestSeq: uint64(t.smallest_seq), LargestSeq: uint64(t.largest_seq),
		})
	}
	return list, others
}

// blobs lists the blob files of the column family.
func (r *reading) blobs() rocksfile.Blobs {
	list := make(rocksfile.Blobs, C.bridge_blobs(r.db))
	for i := range list {
		b := C.bridge_blob_at(r.db, C.size_t(i))
		list[i] = rocksfile.BlobFile{
			File: uint64(b.number), Size: int64(b.size),
			Path: filepath.Join(string(bytesOf(b.directory)), string(bytesOf(b.name))),
		}
	}
	return list
}

// families describes the open column families.
func (r *reading) families() []engine.Family {
	list := make([]engine.Family, C.bridge_families(r.db))
	for i := range list {
		f := C.bridge_family_at(r.db, C.size_t(i))
		list[i] = engine.Family{
			Name: familyText(string(bytesOf(f.name))), Tables: int64(f.tables), Bytes: int64(f.bytes),
			BlobFiles: int64(f.blob_files), BlobBytes: int64(f.blob_bytes),
		}
	}
	return list
}

func tablePath(dir string, number uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%06d.sst", number))
}

// cacheShards returns the number of shards of the block cache.
func (r *reading) cacheShards() int {
	const field = "num_shard_bits :"
	_, rest, _ := strings.Cut(taken(C.bridge_cache_options(r.db)), field)
	var n uint
	if _, err := fmt.Sscan(rest, &n); err != nil {
		return 0
	}
	return 1 << n
}

// get looks a key up and copies its value over buf[:0].
func (r *reading) get(key, buf []byte) (value []byte, found bool, err error) {
	buf = buf[:cap(buf)]
	return r.found(C.bridge_get(r.db, pointer(key), C.size_t(len(key)), pointer(buf), C.size_t(len(buf))), buf)
}

// found returns the result of a lookup that was given buf.
func (r *reading) found(v C.bridge_value, buf []byte) (value []byte, found bool, err error) {
	switch {
	case v.error != nil:
		return nil, false, r.files.explain(failed(v.error))
	case v.size < 0:
		return buf[:0], false, nil
	case v.spilled != nil:
		defer C.free(unsafe.Pointer(v.spilled))
		return append(buf[:0], unsafe.Slice((*byte)(unsafe.Pointer(v.spilled)), int(v.size))...), true, nil
	}
	return buf[:v.size], true, nil
}
