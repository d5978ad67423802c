//go:build rocksdb

package rocksdb

/*
#cgo CXXFLAGS: -std=c++20
#cgo LDFLAGS: -lrocksdb
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"getio/engine/loading"
)

func libraryVersion() string { return C.GoString(C.bridge_version()) }

// linked says where the library is.
func linked() string {
	if C.bridge_is_static() != 0 {
		return "static"
	}
	return "of the system"
}

// newestFormat is the newest table format that the library reads and writes, oldestFormat the oldest that it reads.
var newestFormat, oldestFormat = int(C.bridge_newest_format()), int(C.bridge_oldest_format())

// BlockBytes is the size of the object that the library caches for an index or data block, beside its contents, and
// FilterBytes of that for a filter.
var BlockBytes, FilterBytes = uint32(C.bridge_block_bytes()), uint32(C.bridge_filter_bytes())

// libraryError is RocksDB's text of an error.
type libraryError struct {
	text  string
	errno syscall.Errno // that the text contains; 0 if none
}

func (e *libraryError) Error() string { return e.text }

func (e *libraryError) Unwrap() error {
	if e.errno == 0 {
		return nil
	}
	return e.errno
}

// systemErrors are those that callers distinguish. RocksDB only passes on their texts.
var systemErrors = append([]syscall.Errno{syscall.EAGAIN}, loading.Unrecoverable...)

func newLibraryError(text string) error {
	e := &libraryError{text: text}
	words := strings.ToLower(text)
	for _, errno := range systemErrors {
		if strings.Contains(words, errno.Error()) {
			e.errno = errno
			break
		}
	}
	return e
}

// failed returns the bridge's error, or nil, and frees its text.
func failed(text *C.char) error {
	if text == nil {
		return nil
	}
	return newLibraryError(taken(text))
}

// taken copies and frees a text of the bridge.
func taken(text *C.char) string {
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text)
}

// text pins a string for C to read during one call.
func text(s string, pinned *runtime.Pinner) C.bridge_text {
	if s == "" {
		return C.bridge_text{}
	}
	p := unsafe.StringData(s)
	pinned.Pin(p)
	return C.bridge_text{data: (*C.char)(unsafe.Pointer(p)), size: C.size_t(len(s))}
}

func bytesOf(t C.bridge_text) []byte { return C.GoBytes(unsafe.Pointer(t.data), C.int(t.size)) }

func pointer(b []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(b))) }

func boolean(on bool) C.int {
	if on {
		return 1
	}
	return 0
}

// number64 returns one of RocksDB's integer properties.
func number64(db *C.bridge_db, name string) int64 {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return int64(C.bridge_number(db, c))
}

// property returns one of RocksDB's text properties.
func property(db *C.bridge_db, name string) string {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return taken(C.bridge_property(db, c))
}

// columnFamilies lists a database's column families, as familyText writes them.
func columnFamilies(dir string) ([]string, error) {
	var pinned runtime.Pinner
	defer pinned.Unpin()
	var names *C.char
	var size C.size_t
	if err := failed(C.bridge_column_families(text(dir, &pinned), &names, &size)); err != nil {
		C.free(unsafe.Pointer(names))
		return nil, err
	}
	defer C.free(unsafe.Pointer(names))
	all := C.GoStringN(names, C.int(size))
	var list []string
	for name := range strings.SplitSeq(strings.TrimSuffix(all, "\x00"), "\x00") {
		list = append(list, familyText(name))
	}
	return list, nil
}
