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
	blobHeaderLen       = 30
	blobRecordHeaderLen = 32
	blobFooterLen       = 32
)

// BlobFile is a blob file, as the library lists it.
type BlobFile struct {
	File uint64 // its number, which no table has
	Path string
	Size int64
}

// verify returns an error if the file is not there as the MANIFEST says. The library would notice
// only in a Get.
func (b BlobFile) verify() error {
	fi, err := os.Stat(b.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("its blob file %s is missing", filepath.Base(b.Path))
	case err != nil:
		return err
	case fi.Size() != b.Size:
		return fmt.Errorf("its blob file %s has %d bytes, and its MANIFEST says %d", filepath.Base(b.Path), fi.Size(), b.Size)
	}
	return nil
}

// regions returns the file's region map.
func (b BlobFile) regions() *region.Map {
	return &region.Map{
		Size:       b.Size,
		BlobHeader: region.Extent{End: blobHeaderLen},
		Blobs:      region.Extent{Off: blobHeaderLen, End: b.Size - blobFooterLen},
	}
}

// IsBlobRecord reports whether p is exactly one record of a blob file.
func IsBlobRecord(p []byte) bool {
	if len(p) < blobRecordHeaderLen {
		return false
	}
	key, value, rest := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:]), uint64(len(p)-blobRecordHeaderLen)
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
