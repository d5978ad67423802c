// Package rowtable writes table files (sstables) in the row format of the LevelDB family, byte for
// byte as both versions of Pebble write it. Each record sets a different key of 32 bytes.
//
// It writes complete tables, single data blocks, and table tails alone. For a tail it
// computes only the lengths of the data blocks. Blocks are made by the library.
//
// A table is, in order: data blocks, the filter, second-level index blocks, the
// top index, properties, the metaindex and the footer. Tables whose index fits
// one block have that block in place of both levels.
package rowtable

import (
	"github.com/golang/snappy"

	"getio/engine"
	"getio/engine/blockformat"
)

// KeySize is the length of every key.
const KeySize = 32

// Form holds the parameters that determine a table's bytes, besides its records.
type Form struct {
	engine.TableOptions
	Level    int
	Template *Template // the parts that do not depend on the records
}

// bloomBits is the number of bits per key of the table's filter; 0 if it has none.
func (f *Form) bloomBits() int { return f.BloomBits[f.Level] }

// full reports whether a non-empty block of the given size is finished before a record
// that may add up to more bytes. Both libraries compute more from the whole key and a
// shared length of 4 bytes (Pebble v1: sstable/writer.go shouldFlush; v2:
// sstable/block/flush_governor.go).
func (f *Form) full(size, more, threshold, target int) bool {
	if size < threshold || size == threshold && !f.FlushAtThreshold {
		return size >= target
	}
	return size >= target || size+more > target
}

// must takes the error of adding to a block. The library refuses blocks of 2 GiB, which no options allow.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// seal appends the stored form of a block, including its trailer, to dst.
func (f *Form) seal(dst, plain []byte) []byte {
	from := len(dst)
	if f.Snappy != blockformat.SnappyNever {
		if packed := appendSnappy(dst, plain); f.Snappy.Pays(len(plain), len(packed)-from) {
			return blockformat.AppendTrailer(packed, from, blockformat.Snappy)
		}
	}
	return sealPlain(dst, plain)
}

// sealPlain is seal for a block that is never compressed.
func sealPlain(dst, plain []byte) []byte {
	from := len(dst)
	return blockformat.AppendTrailer(append(dst, plain...), from, blockformat.Plain)
}

// appendSnappy appends the Snappy form of src to dst.
func appendSnappy(dst, src []byte) []byte {
	need := len(dst) + snappy.MaxEncodedLen(len(src))
	if cap(dst) < need {
		dst = append(make([]byte, 0, 2*need), dst...)
	}
	packed := snappy.Encode(dst[len(dst):need], src)
	return dst[:len(dst)+len(packed)]
}
