package rowtable

import (
	"encoding/binary"
	"math/bits"

	"github.com/golang/snappy"

	"getio/engine/blockformat"
)

// block is a data block under construction.
type block struct {
	interval int
	buf      []byte // records
	restarts []uint32
	n        int // records
	untilNew int // records until the next restart point
	last     [KeySize]byte
	trailer  uint64 // of the last record
}

// reset starts a block with a restart point every interval records.
func (b *block) reset(interval int) {
	b.interval = interval
	b.buf, b.restarts = b.buf[:0], b.restarts[:0]
	b.n, b.untilNew = 0, 0
}

// size returns the size of the finished block.
func (b *block) size() int { return len(b.buf) + blockformat.RestartsLen(len(b.restarts)) }

// add appends a record, whose key is above the last one.
func (b *block) add(key *[KeySize]byte, trailer uint64, value []byte) {
	shared := 0
	if b.untilNew == 0 {
		b.restarts = append(b.restarts, uint32(len(b.buf)))
		b.untilNew = b.interval
	} else {
		shared = sharedLen(&b.last, key)
	}
	b.untilNew--
	buf := append(b.buf, byte(shared), byte(KeySize+blockformat.KeyTrailerLen-shared))
	buf = binary.AppendUvarint(buf, uint64(len(value)))
	buf = append(buf, key[shared:]...)
	buf = binary.LittleEndian.AppendUint64(buf, trailer)
	b.buf = append(buf, value...)
	b.last, b.trailer = *key, trailer
	b.n++
}

// sharedLen returns the length of the prefix that two different keys share.
func sharedLen(a, b *[KeySize]byte) int {
	for i := 0; i < KeySize; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	return KeySize
}

// finish appends the restart points and returns the block, valid until the next reset.
func (b *block) finish() []byte {
	b.buf = blockformat.AppendRestarts(b.buf, b.restarts)
	return b.buf
}

// seal appends the stored form of a block, including its trailer, to dst. encode appends
// its Snappy form to a slice.
func (f *Form) seal(dst, plain []byte, encode func(dst []byte) []byte) []byte {
	from := len(dst)
	stored := byte(blockformat.Plain)
	if f.Snappy != blockformat.SnappyNever {
		if packed := encode(dst); f.Snappy.Pays(len(plain), len(packed)-from) {
			dst, stored = packed, blockformat.Snappy
		}
	}
	if stored == blockformat.Plain {
		dst = append(dst, plain...)
	}
	return blockformat.AppendTrailer(dst, from, stored)
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
