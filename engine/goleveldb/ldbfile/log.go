package ldbfile

import (
	"encoding/binary"
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

// eachRecord calls each with the records of a file in LevelDB's log format. The record is valid
// until each returns. tornEnd reports whether the last record was only partly written.
func eachRecord(path string, each func(record []byte) error) (tornEnd bool, err error) {
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

// batchHeader is the length of a batch's header: sequence number and number of records
// (goleveldb: leveldb/batch.go).
const batchHeader = 8 + 4

// LoggedKeys counts the records in a file of the write-ahead log. It ignores a torn last
// batch, as the library does.
func LoggedKeys(path string) (keys int64, err error) {
	_, err = eachRecord(path, func(batch []byte) error {
		if len(batch) < batchHeader {
			return errors.New("it has a batch that is too short")
		}
		keys += int64(binary.LittleEndian.Uint32(batch[8:]))
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("the write-ahead log %s cannot be read: %w", path, err)
	}
	return keys, nil
}
