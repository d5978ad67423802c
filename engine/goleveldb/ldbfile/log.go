package ldbfile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"getio/engine/catalog"
	"getio/engine/ondisk"
)

// batchHeader is the length of a batch's header: sequence number and number of records
// (goleveldb: leveldb/batch.go).
const batchHeader = 8 + 4

// ReadLog adds a file of the write-ahead log to the log, and counts its records. It ignores a torn last
// batch, as the library does.
func ReadLog(path string, log catalog.Log) (records int64, err error) {
	_, err = ondisk.EachRecord(path, func(batch []byte) error {
		if len(batch) < batchHeader {
			return errors.New("it has a batch that is too short")
		}
		n := binary.LittleEndian.Uint32(batch[8:])
		records += int64(n)
		return readBatch(batch[batchHeader:], n, log)
	})
	if err != nil {
		return 0, fmt.Errorf("the write-ahead log %s cannot be read: %w", path, err)
	}
	return records, nil
}

// readBatch reads records: the kind, one byte, then the key and, of a record that sets it, the value, with their
// lengths (goleveldb: leveldb/batch.go, decodeBatch).
func readBatch(b []byte, records uint32, log catalog.Log) error {
	d := ondisk.Fields{Rest: b}
	for ; records > 0 && d.Err == nil; records-- {
		if len(d.Rest) == 0 || d.Rest[0] > kindSet {
			return errors.New("it has a batch with fewer records than its header says, or of a type that LevelDB does not have")
		}
		kind := d.Rest[0]
		d.Rest = d.Rest[1:]
		does := catalog.Deletes
		key := string(d.Bytes())
		if kind == kindSet {
			does = catalog.Sets
			d.Bytes()
		}
		log[key] = does
	}
	return d.Err
}
