package rocksfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"getio/engine/region"
)

// A blob file holds values apart from the tables. Records in data blocks refer to them.
//
//	header  30 bytes
//	record  sizes of key and value, 8 bytes each; 16 bytes of expiration and checksums; key; value
//	...
//	footer  32 bytes
//
// The value is compressed as the header says. (RocksDB: db/blob/blob_log_format.h)
const (
	BlobHeaderLen       = 30
	BlobRecordHeaderLen = 32
	BlobFooterLen       = 32
)

// BlobFile is a blob file as the library lists it. Tables and blob files share one sequence of numbers.
type BlobFile struct {
	File uint64 // its number
	Path string
	Size int64
}

// verify returns an error if the file is missing or its size differs from the MANIFEST. Without it, only a
// Get would fail.
func (b BlobFile) verify() error {
	fi, err := os.Stat(b.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("blob file %s is missing", filepath.Base(b.Path))
	case err != nil:
		return fmt.Errorf("blob file %s cannot be examined: %w", filepath.Base(b.Path), err)
	case fi.Size() != b.Size:
		return fmt.Errorf("blob file %s has %d bytes, but the MANIFEST says %d", filepath.Base(b.Path), fi.Size(), b.Size)
	}
	return nil
}

// regions returns the file's region map.
func (b BlobFile) regions() *region.Map {
	return &region.Map{
		Size:       b.Size,
		BlobHeader: region.Extent{End: BlobHeaderLen},
		Blobs:      region.Extent{Off: BlobHeaderLen, End: b.Size - BlobFooterLen},
	}
}

// IsBlobRecord reports whether p is exactly one record of a blob file.
func IsBlobRecord(p []byte) bool {
	if len(p) < BlobRecordHeaderLen {
		return false
	}
	key, value, rest := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:]), uint64(len(p)-BlobRecordHeaderLen)
	return key <= rest && value == rest-key
}

// Blobs are the blob files of a column family.
type Blobs []BlobFile

func (b Blobs) verify() error {
	for _, f := range b {
		if err := f.verify(); err != nil {
			return err
		}
	}
	return nil
}

// bytes returns the size of all files.
func (b Blobs) bytes() (sum int64) {
	for _, f := range b {
		sum += f.Size
	}
	return sum
}
