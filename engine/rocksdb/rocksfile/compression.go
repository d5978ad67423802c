package rocksfile

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"getio/engine/blockformat"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Limits, so that a damaged size cannot exhaust memory. maxBlock is larger than any block,
// and maxLZ4 is above LZ4's highest compression ratio.
const (
	maxBlock = 1 << 28
	maxLZ4   = 256
)

var errPacked = errors.New("cannot be decompressed")

// unpack decompresses the body of a stored block. From format 2 on, its size precedes the
// data of all compressions but Snappy (RocksDB: util/compression.h).
func (d *dictionary) unpack(kind byte, body []byte, format uint32) ([]byte, error) {
	switch kind {
	case blockformat.Plain:
		return body, nil
	case blockformat.Snappy:
		if n, err := snappy.DecodedLen(body); err != nil || n > blockformat.MaxSnappyExpansion*len(body) {
			return nil, errPacked
		}
		return snappy.Decode(nil, body)
	}
	if format < 2 && kind != blockformat.Zstd {
		return nil, fmt.Errorf("has compression %s in the encoding before format 2, which getio does not read", compressionName(kind))
	}
	size, n := binary.Uvarint(body)
	if n <= 0 || size > maxBlock {
		return nil, errPacked
	}
	block, err := d.unpackSized(kind, body[n:], int(size))
	if err == nil && len(block) != int(size) {
		err = errPacked
	}
	return block, err
}

func (d *dictionary) unpackSized(kind byte, body []byte, size int) ([]byte, error) {
	switch kind {
	case blockformat.Zlib:
		return readAll(flate.NewReaderDict(bytes.NewReader(body), d.bytes), size)
	case blockformat.BZip2:
		return readAll(bzip2.NewReader(bytes.NewReader(body)), size)
	case blockformat.LZ4, blockformat.LZ4HC:
		if size > maxLZ4*len(body) {
			return nil, errPacked
		}
		block := make([]byte, size)
		n, err := lz4.UncompressBlockWithDict(body, block, d.bytes)
		if err != nil {
			return nil, errPacked
		}
		return block[:n], nil
	case blockformat.Zstd:
		return d.unpackZstd(body)
	}
	return nil, fmt.Errorf("has compression %s, which getio does not read", compressionName(kind))
}

// compressionName returns a type of compression and RocksDB's name for it (include/rocksdb/compression_type.h).
func compressionName(kind byte) string {
	const firstCustom, lastCustom = 0x80, 0xfe
	builtin := [...]string{"kNoCompression", "kSnappyCompression", "kZlibCompression", "kBZip2Compression", "kLZ4Compression", "kLZ4HCCompression", "kXpressCompression", "kZSTD"}
	name := "none of RocksDB's"
	switch {
	case int(kind) < len(builtin):
		name = builtin[kind]
	case kind == 0x40:
		name = "kZSTDNotFinalCompression"
	case firstCustom <= kind && kind <= lastCustom:
		name = fmt.Sprintf("kCustomCompression%02X, a client's own", kind)
	}
	return fmt.Sprintf("%d (%s)", kind, name)
}

// readAll reads at most one byte more than the expected size.
func readAll(r io.Reader, size int) ([]byte, error) {
	block, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	if err != nil {
		return nil, errPacked
	}
	return block, nil
}

func (d *dictionary) unpackZstd(body []byte) ([]byte, error) {
	decoder, err := d.zstd()
	if err != nil {
		return nil, errPacked
	}
	block, err := decoder.DecodeAll(body, nil)
	if err != nil {
		return nil, errPacked
	}
	return block, nil
}

// dictionary is the compression dictionary of a table's data blocks. It is safe for concurrent use.
type dictionary struct {
	bytes []byte
	zstd  func() (*zstd.Decoder, error) // created on first use
}

// none is the empty dictionary, for all other blocks.
var none = newDictionary(nil)

// zstdTrained is the magic number of a trained dictionary, as opposed to raw samples.
const zstdTrained = "\x37\xa4\x30\xec"

func newDictionary(content []byte) *dictionary {
	options := []zstd.DOption{zstd.WithDecoderMaxMemory(maxBlock)}
	switch {
	case bytes.HasPrefix(content, []byte(zstdTrained)):
		options = append(options, zstd.WithDecoderDicts(content))
	case len(content) > 0:
		options = append(options, zstd.WithDecoderDictRaw(0, content))
	}
	return &dictionary{content, sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, options...) })}
}
