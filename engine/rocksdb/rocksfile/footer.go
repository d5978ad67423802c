package rocksfile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"getio/tree/blockformat"
)

// Footers of format 0 end with LevelDB's magic number; those of later formats are
// 5 bytes longer, for the kind of checksum and the format.
const (
	plainMagic   = 0x8242229663bf9564
	oldPlain     = 0x4f3418eb7a8f13b8
	newestFormat = 5
)

// footer is the decoded footer of a table.
type footer struct {
	format      uint32
	checksum    checksumKind
	meta, index blockformat.Handle
	len         int64
}

// decodeFooter decodes the footer from the last bytes of a table. tail has the length of
// the longest footer, or is the complete file.
func decodeFooter(tail []byte) (f footer, err error) {
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
	if f.format > newestFormat {
		return f, fmt.Errorf("it has format %d, but RocksDB 7 supports formats only up to %d", f.format, newestFormat)
	}
	if f.checksum > newestChecksum {
		return f, fmt.Errorf("its blocks have checksum type %d, which RocksDB 7 does not support", f.checksum)
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
