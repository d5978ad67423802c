//go:build rocksdb

package rocksdb

/*
#include "bridge.h"
*/
import "C"

import (
	"encoding/binary"
	"math"
	"sync"

	"getio/engine"
	"getio/engine/failure"
)

var _ engine.Ordered = (*db)(nil)

// scanBuffer is the bytes of records to fetch at a time, unless one record is larger.
const scanBuffer = 64 << 10

var scanBuffers = sync.Pool{New: func() any { return new(make([]byte, scanBuffer)) }}

func (d *db) Scan(first, last []byte, each func(key, value []byte) error) error {
	return d.scan(C.bridge_scan_new(d.library.db, pointer(last), C.size_t(len(last)), boolean(last != nil), 0), first, math.MaxInt, each)
}

func (d *db) ScanFrom(first []byte, n int, each func(key, value []byte) error) error {
	return d.scan(C.bridge_scan_new(d.library.db, nil, 0, 0, 0), first, n, each)
}

// scanMemory passes each the records that RocksDB has replayed from the write-ahead log into memory.
func (d *db) scanMemory(each func(key, value []byte) error) error {
	return d.scan(C.bridge_scan_new(d.library.db, nil, 0, 0, 1), nil, math.MaxInt, each)
}

// scan passes each up to n records from first, and frees the scan.
func (d *db) scan(scan *C.bridge_scan, first []byte, n int, each func(key, value []byte) error) error {
	defer C.bridge_scan_free(scan)
	C.bridge_scan_seek(scan, pointer(first), C.size_t(len(first)))
	pooled := scanBuffers.Get().(*[]byte)
	defer scanBuffers.Put(pooled)
	for n > 0 {
		var filled, needed C.size_t
		buffer := *pooled
		err := failed(C.bridge_scan_next(scan, C.size_t(n), pointer(buffer), C.size_t(len(buffer)), &filled, &needed))
		if needed > 0 {
			*pooled = make([]byte, needed)
			continue
		}
		met, stopped := eachRecord(buffer[:filled], each)
		switch {
		case stopped != nil:
			return stopped
		case err != nil:
			return failure.Read(d.dir, d.files.explain(err))
		case met == 0:
			return nil
		}
		n -= met
	}
	return nil
}

// eachRecord passes each the records of a buffer and counts them.
func eachRecord(buffer []byte, each func(key, value []byte) error) (met int, err error) {
	const word = 4
	for ; len(buffer) > 0; met++ {
		keySize, valueSize := binary.NativeEndian.Uint32(buffer), binary.NativeEndian.Uint32(buffer[word:])
		key, rest := buffer[2*word:][:keySize], buffer[2*word:][keySize:]
		if err := each(key, rest[:valueSize]); err != nil {
			return met, err
		}
		buffer = rest[valueSize:]
	}
	return met, nil
}

// Multiget implements engine.Ordered. RocksDB's iterators consult no filters, so each key is looked
// up in every sorted run. RocksDB's own MultiGet differs: it reads adjacent blocks at once.
func (d *db) Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error {
	scan := C.bridge_scan_new(d.library.db, nil, 0, 0, 0)
	defer C.bridge_scan_free(scan)
	pooled := scanBuffers.Get().(*[]byte)
	defer scanBuffers.Put(pooled)
	buf := *pooled
	for i, key := range keys {
		value, found, err := d.library.found(C.bridge_scan_find(scan, pointer(key), C.size_t(len(key)), pointer(buf), C.size_t(len(buf))), buf)
		if err != nil {
			return failure.Read(d.dir, err)
		}
		if err := each(i, value, found); err != nil {
			return err
		}
	}
	return nil
}
