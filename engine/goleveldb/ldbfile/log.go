package ldbfile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"getio/engine/ondisk"
)

// batchHeader is the length of a batch's header: sequence number and number of records
// (goleveldb: leveldb/batch.go).
const batchHeader = 8 + 4

// LoggedKeys counts the records in a file of the write-ahead log. It ignores a torn last
// batch, as the library does.
func LoggedKeys(path string) (keys int64, err error) {
	_, err = ondisk.EachRecord(path, func(batch []byte) error {
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
