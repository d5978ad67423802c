package rocksfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"getio/engine/blockformat"
)

// Footers of format 0 end with LevelDB's magic number; those of later formats are
// 5 bytes longer, for the kind of checksum and the format. Between them lie 40 bytes:
//
//	up to format 5    handles of metaindex and index, padding
//	from format 6     extended magic (4); checksum of the footer (4); context of all checksums (4);
//	                  length of the metaindex (4), which ends where the footer begins;
//	                  reserved (16); features that a reader has to know (8), none so far
//
// From format 6, the metaindex names the index. (RocksDB 10.4: table/format.cc, Footer::DecodeFrom.)
const (
	plainMagic    = 0x8242229663bf9564
	oldPlain      = 0x4f3418eb7a8f13b8
	contextFormat = 6          // the oldest whose checksums have a context
	managerFormat = 7          // the oldest whose properties name what compressed the blocks
	extendedMagic = 0x007a003e // no handles of two blocks begin like this

	// NewestFormat is the newest format that getio reads.
	NewestFormat = 7
)

// footer is the decoded footer of a table.
type footer struct {
	format      uint32
	checksum    checksumKind
	context     checksumContext
	meta, index blockformat.Handle // no index from format 6 on
	len         int64
}

// ReadFormat reads the format of the table at path.
func ReadFormat(path string) (format int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	footer, err := readFooter(f, fi.Size())
	return int(footer.format), err
}

// readFooter reads the footer of a table of the given size.
func readFooter(r io.ReaderAt, size int64) (footer, error) {
	tail := make([]byte, min(size, blockformat.RocksDBFooterLen))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil {
		return footer{}, fmt.Errorf("its footer cannot be read: %w", err)
	}
	return decodeFooter(tail, size)
}

// decodeFooter decodes the footer from the last bytes of a table of the given size. tail has the
// length of the longest footer, or is the complete file.
func decodeFooter(tail []byte, size int64) (f footer, err error) {
	if len(tail) < blockformat.LevelDBFooterLen {
		return f, fmt.Errorf("it is too short for a footer (%d bytes)", len(tail))
	}
	handles := tail[len(tail)-blockformat.LevelDBFooterLen:]
	switch n := binary.LittleEndian.Uint64(tail[len(tail)-blockformat.MagicLen:]); {
	case n == blockformat.LevelDBMagic:
		f.len, f.checksum = blockformat.LevelDBFooterLen, checksumCRC32C
	case n == blockformat.RocksDBMagic && len(tail) >= blockformat.RocksDBFooterLen:
		tail = tail[len(tail)-blockformat.RocksDBFooterLen:]
		f.len, f.checksum, handles = blockformat.RocksDBFooterLen, checksumKind(tail[0]), tail[1:]
		f.format = binary.LittleEndian.Uint32(tail[blockformat.RocksDBFooterLen-blockformat.MagicLen-blockformat.VersionLen:])
	case n == plainMagic, n == oldPlain:
		return f, errors.New("it is a plain table, not a block-based one")
	default:
		return f, errors.New("it does not end with the magic number of a RocksDB table")
	}
	if f.format > NewestFormat {
		return f, fmt.Errorf("it has format %d, but getio reads formats only up to %d", f.format, NewestFormat)
	}
	if f.checksum > newestChecksum {
		return f, fmt.Errorf("its blocks have checksum type %d, which getio does not know", f.checksum)
	}
	if f.format >= contextFormat {
		err = f.decodeContext(tail, size-f.len)
		return f, err
	}
	var n, m int
	f.meta, n = blockformat.DecodeHandle(handles)
	if n > 0 {
		f.index, m = blockformat.DecodeHandle(handles[n:])
	}
	if m == 0 {
		return f, errors.New("its footer is malformed")
	}
	return f, nil
}

// Offsets in a footer from format 6 on.
const (
	footerMagicAt    = 1
	footerChecksumAt = footerMagicAt + 4
	footerContextAt  = footerChecksumAt + 4
	footerMetaAt     = footerContextAt + 4
	footerFeaturesAt = footerMetaAt + 4 + 16
)

// decodeContext decodes the footer in b, which begins at off.
func (f *footer) decodeContext(b []byte, off int64) error {
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	if number(footerMagicAt) != extendedMagic {
		return errors.New("its footer is malformed")
	}
	if f.context = checksumContext(number(footerContextAt)); f.context == 0 {
		return errors.New("its footer is malformed (no context of the checksums)")
	}
	if number(footerChecksumAt) != f.checksum.ofFooter(b)+f.context.at(off) {
		return fmt.Errorf("its footer %w", ErrChecksum)
	}
	if binary.LittleEndian.Uint64(b[footerFeaturesAt:]) != 0 {
		return errors.New("its footer demands a feature of a newer RocksDB, which getio does not know")
	}
	length := int64(number(footerMetaAt))
	if f.meta = (blockformat.Handle{Off: uint64(off - blockformat.TrailerLen - length), Length: uint64(length)}); int64(f.meta.Off) < 0 {
		return errors.New("its footer points past its end")
	}
	return nil
}

// ofFooter returns the checksum of a footer, of which its own bytes count as zeros.
func (k checksumKind) ofFooter(b []byte) uint32 {
	b = bytes.Clone(b)
	clear(b[footerChecksumAt:footerContextAt])
	return k.of(b)
}
