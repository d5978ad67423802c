package ondisk

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/syndtr/goleveldb/leveldb/journal"
)

// drops keeps the first error for a record that a log reader dropped. Only the last record
// may be missing: a killed process leaves it partly written.
type drops struct{ first *journal.ErrCorrupted }

// Drop implements journal.Dropper.
func (d *drops) Drop(err error) {
	if c, ok := err.(*journal.ErrCorrupted); ok && d.first == nil {
		d.first = c
	}
}

// torn reports whether the dropped record may be partly written, according to the
// library's error text (goleveldb: leveldb/journal/journal.go, nextChunk). A wrong
// checksum is damage, not a torn record.
func (d *drops) torn() bool {
	switch d.first.Reason {
	case "chunk length overflows block", "missing chunk part", "zero header":
		return true
	}
	return false
}

// EachRecord calls each with the records of a file in LevelDB's log format. The record is valid
// until each returns. tornEnd reports whether the last record was only partly written.
func EachRecord(path string, each func(record []byte) error) (tornEnd bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var dropped drops
	r := journal.NewReader(f, &dropped, false, true)
	for {
		one, err := r.Next()
		if err == io.EOF {
			break
		}
		var record []byte
		if err == nil {
			record, err = io.ReadAll(one)
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF): // it was dropped
			continue
		case err != nil:
			return false, err
		case dropped.first != nil:
			return false, fmt.Errorf("records are missing in its middle (%w)", dropped.first)
		}
		if err := each(record); err != nil {
			return false, err
		}
	}
	if dropped.first != nil && !dropped.torn() {
		return false, fmt.Errorf("it has a damaged record (%w)", dropped.first)
	}
	return dropped.first != nil, nil
}

// ManifestTorn reports whether a MANIFEST ends in a record that was only partly written. The libraries of
// Pebble and RocksDB ignore it. They ignore a damaged record too, with all that follow; that is an error here.
func ManifestTorn(path string) (torn bool, err error) {
	torn, err = EachRecord(path, func([]byte) error { return nil })
	if err != nil {
		return false, fmt.Errorf("the MANIFEST %s cannot be read: %w", path, err)
	}
	return torn, nil
}
