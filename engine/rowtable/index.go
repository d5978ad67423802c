package rowtable

import (
	"encoding/binary"

	"getio/engine/blockformat"
)

// indexBlock is an index block under construction. Every entry is a restart point.
type indexBlock struct {
	buf      []byte
	restarts []uint32
	last     []byte // the last entry's key
	scratch  []byte
}

func (b *indexBlock) reset() { b.buf, b.restarts = b.buf[:0], b.restarts[:0] }

func (b *indexBlock) size() int { return len(b.buf) + blockformat.RestartsLen(len(b.restarts)) }

func (b *indexBlock) add(key indexKey, h blockformat.Handle) {
	b.last = binary.LittleEndian.AppendUint64(append(b.last[:0], key.user...), key.trailer)
	b.addEncoded(b.last, h)
}

// addEncoded adds an entry for a key with its trailer.
func (b *indexBlock) addEncoded(key []byte, h blockformat.Handle) {
	b.scratch = h.Append(b.scratch[:0])
	b.restarts = append(b.restarts, uint32(len(b.buf)))
	b.buf = append(b.buf, 0, byte(len(key)), byte(len(b.scratch)))
	b.buf = append(b.buf, key...)
	b.buf = append(b.buf, b.scratch...)
}

func (b *indexBlock) finish() []byte {
	b.buf = blockformat.AppendRestarts(b.buf, b.restarts)
	return b.buf
}

// index is the index of a table under construction. Second-level blocks are sealed when
// they are full, but their offsets are known only at the end of the table.
type index struct {
	form    *Form
	current indexBlock
	parts   []part
	sealed  []byte // second-level blocks as they are stored, one after another
	entries int
	size    int // of the second-level blocks before compression
}

// part is one sealed second-level block.
type part struct {
	last []byte // its last key with trailer
	end  int    // in sealed
}

// handleRoom is the size that the libraries assume for a block handle when they decide
// whether an index block is full (Pebble: sstable/writer.go, encodedBHPEstimatedSize).
const handleRoom = 2 * binary.MaxVarintLen64

// add adds the entry of a data block. began reports whether it is the first entry of its
// second-level block.
func (x *index) add(key indexKey, h blockformat.Handle) (began bool) {
	f := x.form
	began = len(x.current.restarts) == 0
	more := key.len() + handleRoom + 4 + 4 + 1 + 1
	if !began && f.full(x.current.size(), more, f.IndexFlushAbove, f.IndexBlockSize) {
		x.seal()
		began = true
	}
	x.current.add(key, h)
	x.entries++
	return began
}

func (x *index) seal() {
	plain := x.current.finish()
	x.size += len(plain)
	x.sealed = x.form.seal(x.sealed, plain, func(dst []byte) []byte { return appendSnappy(dst, plain) })
	x.parts = append(x.parts, part{last: append([]byte(nil), x.current.last...), end: len(x.sealed)})
	x.current.reset()
}
