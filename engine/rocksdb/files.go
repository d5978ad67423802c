//go:build rocksdb

package rocksdb

/*
#include <stddef.h>
#include <stdint.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/cgo"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	"getio/engine/readpath"
	"getio/engine/region"
	"getio/engine/rocksdb/rocksfile"
	"getio/system/device"
	"getio/system/pagecache"
)

// files opens, reads and counts the tables and blob files of an open database, on RocksDB's threads.
type files struct {
	// regions returns the region map of a table or blob file.
	regions func(number uint64, path string) (*region.Map, error)
	counter *region.Counter
	device  *device.Layer
	// cachedTails means that opening a table looks up its filter and its top index in the block cache. Such
	// accesses are not traced: most Gets repeat them right after, and the others are few.
	cachedTails bool
	// propertyReads counts the footers of tables that were not opened but read for their
	// properties. Blob files have none.
	propertyReads atomic.Int64
	// err is the last error. RocksDB only learns that one occurred, and ignores some.
	err atomic.Pointer[error]
}

// openedTable is an open table or blob file.
type openedTable struct {
	files   *files
	regions *region.Map
	file    *os.File
	size    int64
	reader  io.ReaderAt
	count   region.TableCounter
}

func (f *files) open(path string) (*openedTable, error) {
	number, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is not named like a table", path)
	}
	regions, err := f.regions(number, path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	reader, err := f.device.Reader(file, path)
	if err != nil {
		file.Close()
		return nil, err
	}
	pagecache.ExpectRandomReads(file) // as RocksDB does by default (advise_random_on_open)
	return &openedTable{files: f, regions: regions, file: file, size: info.Size(), reader: reader, count: f.counter.Table(number, regions)}, nil
}

// checkTail returns an empty map, for a tree without a catalog yet. It returns an error if a block in the
// table's tail does not match its checksum, because RocksDB can abort the process when it opens such a table
// (an assertion in table/block_based/data_block_hash_index.cc). The catalog reports other errors.
func checkTail(number uint64, path string) (*region.Map, error) {
	if _, err := rocksfile.Live().Regions(number, path); errors.Is(err, rocksfile.ErrChecksum) {
		return nil, err
	}
	return &region.Map{}, nil
}

// explain returns the error of a table if it caused RocksDB's error, else RocksDB's.
func (f *files) explain(err error) error {
	if own := f.err.Swap(nil); err != nil && own != nil {
		return *own
	}
	return err
}

// check fails if RocksDB ignored an error of a table, such as a damaged filter.
func (f *files) check() readpath.Check {
	if err := f.err.Load(); err != nil {
		return readpath.Check{Name: "whole_tables", Detail: (*err).Error()}
	}
	return readpath.Check{Name: "whole_tables", OK: true, Detail: "RocksDB ignored no error of a table"}
}

// read reads up to the end of the file. opening means that RocksDB is opening the table, else missed is the hash of the
// block's key in the block cache.
func (t *openedTable) read(p []byte, off int64, opening bool, missed uint32) (n int, component readpath.Component, err error) {
	n, err = t.reader.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		if end := off + int64(n); end < t.size {
			return n, component, fmt.Errorf("table %s ends after %d of its %d bytes: check the disk, or restore the table from a copy", t.file.Name(), end, t.size)
		}
		err = nil // whole pages reach past the end
	}
	if opening {
		if err := t.regions.CheckRead(p[:n], off); err != nil {
			return n, component, fmt.Errorf("table %s: %w", t.file.Name(), err)
		}
		t.count.CountOpening(off, n)
		block := region.Extent{Off: off, End: off + int64(n)}
		if !t.files.cachedTails || block != t.regions.Filter && block != t.regions.TopIndex {
			t.count.Trace(readpath.TableOpen, p[:n], off, 0)
		}
		component, _, _ = t.regions.Classify(off, n)
		return n, component, err
	}
	component = t.count.Count(off, n)
	if component == readpath.Blob && !rocksfile.IsBlobRecord(p[:n]) {
		t.count.Misplace()
	}
	t.count.Trace(component, p[:n], off, missed)
	if component == readpath.TableOpen && !t.regions.IsBlobFile() {
		if _, _, footer := t.regions.Classify(off, n); footer {
			t.files.propertyReads.Add(1)
		}
	}
	return n, component, err
}

//export getioOpenTable
func getioOpenTable(owner C.uintptr_t, path *C.char, size C.size_t) C.uintptr_t {
	f := cgo.Handle(owner).Value().(*files)
	t, err := f.open(C.GoStringN(path, C.int(size)))
	if err != nil {
		f.err.Store(&err)
		return 0
	}
	return C.uintptr_t(cgo.NewHandle(t))
}

//export getioReadTable
func getioReadTable(table C.uintptr_t, off C.uint64_t, to *C.char, size C.size_t, opening C.int, missed C.uint32_t) (read C.int64_t, topIndex C.int) {
	t := cgo.Handle(table).Value().(*openedTable)
	n, of, err := t.read(unsafe.Slice((*byte)(unsafe.Pointer(to)), int(size)), int64(off), opening != 0, uint32(missed))
	if err != nil {
		t.files.err.Store(&err)
		return -1, 0
	}
	return C.int64_t(n), boolean(of == readpath.TopIndex)
}

//export getioCloseTable
func getioCloseTable(table C.uintptr_t) {
	h := cgo.Handle(table)
	h.Value().(*openedTable).file.Close()
	h.Delete()
}
