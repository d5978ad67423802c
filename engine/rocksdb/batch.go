//go:build rocksdb

package rocksdb

/*
#include "bridge.h"
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"

	"getio/engine"
)

// batch holds writes in RocksDB's log format: a sequence number, which the library fills in,
// the number of records, and the records (db/write_batch.cc). Writing it takes one call.
type batch struct {
	loader  *loader
	records []byte
	count   uint32
}

const (
	batchHeader = 12
	batchCount  = 8 // offset of the number of records
	recordSet   = 1
)

func (l *loader) NewBatch() engine.Batch { return newBatch(l) }

func newBatch(l *loader) *batch { return &batch{loader: l, records: make([]byte, batchHeader)} }

func (b *batch) Set(key, value []byte) error {
	if len(key) > math.MaxInt32 || len(value) > math.MaxInt32 {
		return fmt.Errorf("a record of %d bytes is larger than %s takes", len(key)+len(value), name)
	}
	b.records = append(b.records, recordSet)
	b.records = append(binary.AppendUvarint(b.records, uint64(len(key))), key...)
	b.records = append(binary.AppendUvarint(b.records, uint64(len(value))), value...)
	b.count++
	return nil
}

func (b *batch) Commit() error {
	if b.count == 0 {
		return nil
	}
	binary.LittleEndian.PutUint32(b.records[batchCount:], b.count)
	err := failed(C.bridge_write(b.loader.db, pointer(b.records), C.size_t(len(b.records))))
	b.records, b.count = b.records[:batchHeader], 0
	return err
}

func (b *batch) Close() error { return nil }
