package doctor

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// foreign returns the error for a database that no engine opens, or err if dir holds none that is known.
func foreign(dir string, err error) error {
	if version, ok := mdbxVersion(filepath.Join(dir, "mdbx.dat")); ok {
		return fmt.Errorf("%s is an MDBX database (format %d), as reth and erigon keep them, which getio does not open: count the reads of a program that does with 'getio count --copy %s -- PROGRAM'", dir, version, dir)
	}
	return err
}

// Of libmdbx's first page (its layout-dxb.h: meta_t behind a page_t): a header, then MDBX_MAGIC in 56
// bits above MDBX_DATA_VERSION in 8.
const (
	mdbxHeader = 20
	mdbxMagic  = 0x59659DBDEF4C11
)

// mdbxVersion returns the version of the format of an MDBX data file.
func mdbxVersion(path string) (version uint8, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var head [mdbxHeader + 8]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return 0, false
	}
	word := binary.LittleEndian.Uint64(head[mdbxHeader:])
	return uint8(word), word>>8 == mdbxMagic
}
