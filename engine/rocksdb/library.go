//go:build rocksdb

package rocksdb

/*
#cgo CXXFLAGS: -std=c++17
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
)

func libraryVersion() string { return C.GoString(C.bridge_version()) }

// libraryError is an error in RocksDB's words.
type libraryError struct {
	text  string
	errno syscall.Errno // that the words tell of; 0 if they tell of none
}

func (e *libraryError) Error() string { return e.text }

func (e *libraryError) Unwrap() error {
	if e.errno == 0 {
		return nil
	}
	return e.errno
}

// told are the errors of the system that something is done about. RocksDB passes on
// their words only.
var told = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EFBIG, syscall.EROFS,
	syscall.EMFILE, syscall.ENFILE, syscall.EACCES, syscall.EPERM, syscall.EAGAIN,
}

func newLibraryError(text string) error {
	e := &libraryError{text: text}
	words := strings.ToLower(text)
	for _, errno := range told {
		if strings.Contains(words, errno.Error()) {
			e.errno = errno
			break
		}
	}
	return e
}

// failed turns an error of the bridge into Go's, and frees it.
func failed(text *C.char) error {
	if text == nil {
		return nil
	}
	return newLibraryError(taken(text))
}

// taken copies a text of the bridge and frees it.
func taken(text *C.char) string {
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text)
}

// text is a string that C may read during one call; the pinner keeps it where it is.
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

// number64 is one of RocksDB's figures by its name.
func number64(db *C.bridge_db, name string) int64 {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return int64(C.bridge_number(db, c))
}

// property is one of RocksDB's descriptions of itself.
func property(db *C.bridge_db, name string) string {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return taken(C.bridge_property(db, c))
}

// columnFamilies are the names of all of a database's.
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
	return strings.Split(strings.TrimSuffix(all, "\x00"), "\x00"), nil
}
