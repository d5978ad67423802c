package rocksfile

import (
	"bytes"
	"encoding/binary"
	"errors"

	"getio/engine/blockformat"

	"getio/engine/catalog"
	"getio/engine/region"
)

// indexForm is the encoding of a table's index blocks.
type indexForm struct {
	userKeys bool // their keys have no sequence numbers
	// delta means that entries do not store the length of their values. The first handle
	// after a restart point is complete; each later one stores only the difference of its
	// block's length (RocksDB: table/format.cc, IndexValue::DecodeFrom).
	delta bool
	// firstKey means that a key follows each handle.
	firstKey bool
}

var errIndex = errors.New("points to blocks that do not exist")

// decode lists what an index block names, in a file whose blocks end at size.
func (f indexForm) decode(block []byte, size int64) (list []catalog.NamedBlock, err error) {
	if f.delta {
		return f.decodeDelta(block, size)
	}
	for entry, err := range blockformat.All(block) {
		if err != nil {
			return nil, err
		}
		h, n := blockformat.DecodeHandle(entry.Value)
		if n == 0 {
			return nil, errIndex
		}
		if list, err = f.add(list, entry.Key, h, size); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (f indexForm) decodeDelta(block []byte, size int64) (list []catalog.NamedBlock, err error) {
	rest, _, err := blockformat.Entries(block)
	if err != nil {
		return nil, err
	}
	var key []byte
	var h blockformat.Handle
	for len(rest) > 0 {
		var lengths [2]uint64 // of the key's shared and own part
		if rest, err = blockformat.DecodeLengths(rest, lengths[:]); err != nil {
			return nil, err
		}
		shared, own := lengths[0], lengths[1]
		if shared > uint64(len(key)) || own > uint64(len(rest)) {
			return nil, blockformat.ErrEntries
		}
		key = append(key[:shared], rest[:own]...)
		var n int
		if h, n = nextHandle(rest[own:], h, shared > 0); n <= 0 {
			return nil, blockformat.ErrEntries
		}
		if rest, err = f.skipFirstKey(rest[own:][n:]); err != nil {
			return nil, err
		}
		if list, err = f.add(list, key, h, size); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// nextHandle decodes a complete handle, or with follows, one relative to before.
func nextHandle(b []byte, before blockformat.Handle, follows bool) (h blockformat.Handle, n int) {
	if !follows {
		return blockformat.DecodeHandle(b)
	}
	longer, n := binary.Varint(b)
	return blockformat.Handle{Off: before.Off + before.Length + blockformat.TrailerLen, Length: before.Length + uint64(longer)}, n
}

func (f indexForm) skipFirstKey(b []byte) (rest []byte, err error) {
	if !f.firstKey {
		return b, nil
	}
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return nil, blockformat.ErrEntries
	}
	return b[n+int(length):], nil
}

// add appends a block to the list.
func (f indexForm) add(list []catalog.NamedBlock, key []byte, h blockformat.Handle, size int64) ([]catalog.NamedBlock, error) {
	e, fits := region.ExtentOf(h, size)
	if !fits || len(list) > 0 && e.Off < list[len(list)-1].Extent.End {
		return list, errIndex
	}
	if !f.userKeys {
		if len(key) < blockformat.KeyTrailerLen {
			return list, errIndex
		}
		key = key[:len(key)-blockformat.KeyTrailerLen]
	}
	return append(list, catalog.NamedBlock{Extent: e, UpTo: bytes.Clone(key)}), nil
}
