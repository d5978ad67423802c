package probetest

import (
	"io"
	"maps"
	"slices"

	"getio/system/device"
)

// store is a database of one library.
type store interface {
	Get(key []byte) (found bool, err error)
	Write(keys [][]byte, value []byte) error
	Scan(from []byte, n int) error
	// CacheAccesses is how often the block cache was asked so far, by Gets at least.
	CacheAccesses() int64
	Close() error
}

// openers open a database whose reads of tables are noted.
var openers = map[string]func(dir string, cache int64, tables tableReads) (store, error){
	"pebblev1":  openPebbleV1,
	"pebblev2":  openPebbleV2,
	"goleveldb": openGoleveldb,
}

// Libraries are the names of the libraries.
func Libraries() []string { return slices.Sorted(maps.Keys(openers)) }

// tableReads is how the tables of a database are read: past the page cache if device says so. All reads are noted.
type tableReads struct {
	device *device.Layer
	note   func(name string, off int64, n int)
}

// reader returns the reader of a table.
func (t tableReads) reader(file device.File, name string) (io.ReaderAt, error) {
	reader, err := t.device.Reader(file, name)
	return &notedReader{reader, name, t.note}, err
}

type notedReader struct {
	io.ReaderAt
	name string
	note func(name string, off int64, n int)
}

func (r *notedReader) ReadAt(b []byte, off int64) (int, error) {
	r.note(r.name, off, len(b))
	return r.ReaderAt.ReadAt(b, off)
}
