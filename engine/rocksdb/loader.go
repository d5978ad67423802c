//go:build rocksdb

package rocksdb

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/engine/ondisk"
	"getio/system/filelock"
)

// loader writes a database.
type loader struct {
	db       *C.bridge_db
	failures *loading.Failures
	owner    cgo.Handle
	lock     io.Closer
}

func (rocksDB) Create(dir string, cfg engine.Config) (engine.Loader, error) {
	if err := ondisk.RequireEmpty(dir); err != nil {
		return nil, err
	}
	return openLoader(dir, cfg, true, io.NopCloser(nil))
}

func (rocksDB) Resume(dir string, cfg engine.Config) (engine.Loader, error) {
	if _, err := readDirectory(dir); err != nil {
		return nil, err
	}
	// RocksDB's own lock, which it takes too, does not exclude readers in this process.
	lock, err := filelock.ForWriting(dir)
	if err != nil {
		return nil, err
	}
	return openLoader(dir, cfg, false, lock)
}

// openLoader opens a database and takes the lock.
func openLoader(dir string, cfg engine.Config, create bool, lock io.Closer) (engine.Loader, error) {
	c, err := configs.Of(cfg)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	var pinned runtime.Pinner
	defer pinned.Unpin()
	how := c.writing(create, c.blockCache(c.loadCacheBytes, 0), &pinned)
	l := &loader{failures: loading.NewFailures(), lock: lock}
	l.owner = cgo.NewHandle(l.failures)
	if err := failed(C.bridge_open_write(text(dir, &pinned), &how, C.uintptr_t(l.owner), &l.db)); err != nil {
		l.owner.Delete()
		return nil, failure.Open("RocksDB", dir, errors.Join(err, lock.Close()))
	}
	return l, nil
}

// writing configures the library for writing.
func (c *config) writing(create bool, cache C.bridge_cache, pinned *runtime.Pinner) C.bridge_writing {
	bits := c.bloomBits
	if c.filterPolicy == null {
		bits = 0
	}
	return C.bridge_writing{
		create:     boolean(create),
		block_size: C.int64_t(c.blockSize), metadata_block_size: C.int64_t(c.metadataBlockSize),
		restart_interval: C.int(c.restartInterval), index_restart_interval: C.int(c.indexRestartInterval),
		format_version: C.int(c.formatVersion), bloom_bits: C.int(bits),
		two_level_index: boolean(c.indexType == twoLevel), partition_filters: boolean(c.partitionFilters),
		options:           text(c.lines(), pinned),
		compression:       C.int(compressions[c.compression]),
		write_buffer_size: C.int64_t(c.writeBuffer), max_write_buffers: C.int(c.maxWriteBuffers),
		target_file_size: C.int64_t(c.targetFileSize), target_file_size_multiplier: C.int(c.fileSizeMultiplier),
		l1_max_bytes: C.int64_t(c.l1MaxBytes), level_multiplier: C.int(c.levelMultiplier), dynamic_level_bytes: boolean(c.dynamicLevels),
		l0_compaction_trigger: C.int(c.l0CompactionTrigger), l0_slowdown_trigger: C.int(c.l0SlowdownTrigger), l0_stop_trigger: C.int(c.l0StopTrigger),
		max_open_files: C.int(c.maxOpenFiles), background_jobs: C.int(c.backgroundJobs),
		cache: cache,
	}
}

//export getioFailed
func getioFailed(failures C.uintptr_t, text *C.char, size C.size_t) {
	cgo.Handle(failures).Value().(*loading.Failures).Fail(newLibraryError(C.GoStringN(text, C.int(size))))
}

func (l *loader) Set(key, value []byte) error {
	b := newBatch(l)
	if err := b.Set(key, value); err != nil {
		return err
	}
	return b.Commit()
}

func (l *loader) Has(key []byte) (bool, error) {
	v := C.bridge_get(l.db, pointer(key), C.size_t(len(key)), nil, 0)
	C.free(unsafe.Pointer(v.spilled))
	return v.size >= 0, failed(v.error)
}

func (l *loader) Sync() error          { return failed(C.bridge_sync(l.db)) }
func (l *loader) Flush() error         { return failed(C.bridge_flush(l.db)) }
func (l *loader) Failed() <-chan error { return l.failures.Failed() }
func (l *loader) State() string        { return property(l.db, "rocksdb.stats") }

func (l *loader) Settle(ctx context.Context, report func(engine.SettleProgress)) error {
	if err := l.Flush(); err != nil {
		return err
	}
	return loading.Settle(ctx, l.failures, report, func() engine.SettleProgress {
		s := C.bridge_settle(l.db)
		return engine.SettleProgress{Compactions: int64(s.running), CompactionsDone: int64(s.flushes + s.compactions), DebtBytes: int64(s.debt)}
	})
}

// Close implements engine.Loader. Records in memtables are in the log.
func (l *loader) Close() error {
	defer l.owner.Delete()
	return errors.Join(failed(C.bridge_sync(l.db)), failed(C.bridge_close(l.db)), l.lock.Close())
}

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
