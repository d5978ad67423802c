package ondisk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/syndtr/goleveldb/leveldb/journal"

	"getio/system/filesystem"
)

// drops keeps the first error for a record that a log reader dropped. Only the last record
// may be missing: a killed process leaves it partly written.
type drops struct{ first *journal.ErrCorrupted }

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

// mostRecord is more than the record of a MANIFEST that lists a million tables takes.
const mostRecord = 256 << 20

// EachRecord calls each with the records of a file in LevelDB's log format. The record is valid
// until each returns. tornEnd reports whether the last record was only partly written.
func EachRecord(path string, each func(record []byte) error) (tornEnd bool, err error) {
	f, err := filesystem.OpenRegular(path)
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
			record, err = io.ReadAll(io.LimitReader(one, mostRecord+1))
		}
		if len(record) > mostRecord {
			return false, fmt.Errorf("it has a record of more than %s, which no library writes", humanize.IBytes(mostRecord))
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

// ManifestTorn reports whether the last record of a MANIFEST is incomplete, which Pebble and RocksDB ignore.
// It returns an error for a damaged record, where these libraries stop reading without one.
func ManifestTorn(path string) (torn bool, err error) {
	torn, err = EachRecord(path, func([]byte) error { return nil })
	if err != nil {
		return false, fmt.Errorf("the MANIFEST %s cannot be read: %w", path, err)
	}
	whole, err := endsAfterChunk(path)
	return torn || !whole, err
}

// Chunks of LevelDB's log format: a header of checksum (4 bytes), length (2) and type (1), then the data. None
// crosses the border of a block. (LevelDB: doc/log_format.md)
const (
	logBlock    = 32 << 10
	chunkHeader = 7
)

// endsAfterChunk reports whether a log's last byte is a chunk's last. Readers do not tell part of a header from
// the end.
func endsAfterChunk(path string) (bool, error) {
	f, err := filesystem.OpenRegular(path)
	if err != nil {
		return false, fmt.Errorf("cannot read the MANIFEST: %w", err)
	}
	defer f.Close()
	log := bufio.NewReaderSize(f, logBlock)
	for at := 0; ; {
		skip := logBlock - at%logBlock // filled up, if it has no room for a header
		if skip >= chunkHeader {
			header, err := log.Peek(chunkHeader)
			switch {
			case err == io.EOF:
				return len(header) == 0, nil
			case err != nil:
				return false, fmt.Errorf("cannot read the MANIFEST: %w", err)
			}
			skip = chunkHeader + int(binary.LittleEndian.Uint16(header[4:]))
		}
		switch n, err := log.Discard(skip); {
		case err == io.EOF:
			return n == 0, nil
		case err != nil:
			return false, fmt.Errorf("cannot read the MANIFEST: %w", err)
		}
		at += skip
	}
}
