// Package poolsnappy says what Snappy makes of a data block whose values come
// from a small pool, several times faster than by compressing it.
//
// The result is that of github.com/golang/snappy to the byte. That encoder
// walks over a block, remembers under a hash of four bytes where it saw them
// last, and copies where they come again. Most of its work on such blocks is to
// enter the bytes of a pool's value into its table, where it is known beforehand
// that nothing before can match them, and which bytes of the value it will
// enter under which hash. Encoder enters them all at once.
//
// It is a ground package: it knows no engine and no table format.
package poolsnappy

import (
	"encoding/binary"
	"math/bits"

	"github.com/golang/snappy"
)

// Record tells where in a block a value of the pool lies.
type Record struct {
	Start int // of the value in the block
	Value int // its number in the pool
}

// Limits of the fast way. Other blocks are left to the library.
const (
	minBlock = tableSize/2 + 1 // smaller blocks have a smaller table
	maxBlock = tableSize
	minValue = 16
	maxValue = 1024
	maxPool  = 32
)

// BlockCap is the capacity that a block should have: others are copied.
const BlockCap = 2 * maxBlock

// The encoder's parameters (golang/snappy: encode_other.go, encodeBlock).
const (
	gram        = 4 // bytes that are hashed
	tableBits   = 12
	tableSize   = 1 << tableBits // of a block of 2049 to 4096 bytes
	hashFactor  = 0x1e35a7bd
	inputMargin = 15 // no match is looked for in so many last bytes
	firstSkip   = 32
)

// Encoder encodes blocks with values of one pool. It is not safe for
// concurrent use.
type Encoder struct {
	pool *Pool

	// seen is where the encoder saw bytes last, by hash: an entry is hash
	// product without the slot's own bits << posBits | position.
	seen [tableSize]uint32
	// old are the values of the block that were entered, at least in part, and
	// those some of whose bytes came outside of any value.
	old   uint32
	ops   []op
	paths [maxPathOffset][maxPathSkip]path // those met so far

	buf [BlockCap]byte
}

// posBits hold a position in a block.
const posBits = 12

// op is a literal of so many bytes and then a copy; the last one has no copy.
type op struct{ literal, offset, length int }

// NewEncoder returns an encoder for blocks whose values come from the pool.
func NewEncoder(p *Pool) *Encoder {
	return &Encoder{pool: p, ops: make([]op, 0, 128)}
}

// Len is the length of the encoded block. The records say where the pool's
// values lie in it, ascending and without overlap.
func (e *Encoder) Len(src []byte, records []Record) int {
	if !e.walk(src, records) {
		return len(snappy.Encode(nil, src))
	}
	n := uvarintLen(len(src))
	for _, o := range e.ops {
		n += literalLen(o.literal) + copyLen(o.offset, o.length)
	}
	return n
}

// Encode appends the encoded block to dst.
func (e *Encoder) Encode(dst, src []byte, records []Record) []byte {
	if !e.walk(src, records) {
		return append(dst, snappy.Encode(nil, src)...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	at := 0
	for _, o := range e.ops {
		dst = appendLiteral(dst, src[at:at+o.literal])
		dst = appendCopy(dst, o.offset, o.length)
		at += o.literal + o.length
	}
	return dst
}

// walk finds the block's literals and copies. It returns false for a block
// that is not one for the fast way.
func (e *Encoder) walk(src []byte, records []Record) bool {
	if !e.pool.fast || len(records) == 0 || len(src) < minBlock || len(src) > maxBlock {
		return false
	}
	e.reset()
	w := walk{Encoder: e, src: e.block(src), size: len(src), limit: len(src) - inputMargin, records: records, s: 1}

	slot, rest := place(w.load(0) * hashFactor)
	// An entry that was never made reads as position 0, which differs from one
	// that was made there for the bytes at 0 only.
	e.seen[slot] = rest
	w.next()
	for w.search() && w.copies() {
	}
	return true
}

// block returns src with room behind it, so that it can be read without
// looking at its end.
func (e *Encoder) block(src []byte) *[BlockCap]byte {
	if cap(src) >= BlockCap {
		return (*[BlockCap]byte)(src[:BlockCap])
	}
	copy(e.buf[:], src)
	return &e.buf
}

func (e *Encoder) reset() {
	clear(e.seen[:])
	e.old = 0
	e.ops = e.ops[:0]
}

// place splits a hash product into its slot and the bits that the slot does
// not tell, shifted to make room for a position. The product is a bijection of
// the hashed bytes, so that both together stand for them.
func place(product uint32) (slot, rest uint32) {
	return product >> (32 - tableBits), product << posBits
}

// walk is the way of the encoder through one block.
type walk struct {
	*Encoder
	src     *[BlockCap]byte
	size    int
	limit   int      // from here on no match is looked for
	records []Record // those of the block not yet passed, the present one first
	start   int      // of the present record's value; behind the block if there is none
	end     int      // of the positions at which all hashed bytes are the value's
	touched int      // start of the last value some of whose bytes were entered
	s       int      // the position
	emitted int      // up to here, literals and copies are known
}

func (w *walk) load(s int) uint32 {
	return binary.LittleEndian.Uint32(w.src[s&(maxBlock-1):])
}

// next sets the bounds of the first record not yet passed.
func (w *walk) next() {
	w.start, w.end = maxBlock, 2*maxBlock
	if len(w.records) > 0 {
		w.start = w.records[0].Start
		w.end = w.start + w.pool.grams
	}
}

// pass drops records that end at or before position s. The last hashes of a
// value reach into what follows it and count as outside.
func (w *walk) pass(s int) {
	for s >= w.end {
		if w.touched == w.start {
			w.old |= 1 << (w.records[0].Value & (maxPool - 1))
		}
		w.records = w.records[1:]
		w.next()
	}
}

// finish ends the block with a literal.
func (w *walk) finish() bool {
	if w.emitted < w.size {
		w.ops = append(w.ops, op{literal: w.size - w.emitted})
	}
	return false
}

// match notes a literal up to the position and a copy from there, and moves
// behind it.
func (w *walk) match(from int) {
	i, j := from+gram, w.s+gram
	for j < w.size {
		x := binary.LittleEndian.Uint64(w.src[i&(maxBlock-1):]) ^ binary.LittleEndian.Uint64(w.src[j&(maxBlock-1):])
		if x != 0 {
			j += bits.TrailingZeros64(x) / 8
			break
		}
		i, j = i+8, j+8
	}
	j = min(j, w.size)
	w.ops = append(w.ops, op{w.s - w.emitted, w.s - from, j - w.s})
	w.emitted, w.s = j, j
}

// search goes on to the next position whose bytes came before and notes the
// match. It returns false at the block's end.
func (w *walk) search() bool {
	skip := firstSkip
	for {
		w.pass(w.s)
		if w.s < w.start {
			found, ok := w.searchOutside(&skip)
			if !ok {
				return w.finish()
			}
			if found {
				return true
			}
			continue
		}
		v := w.records[0].Value & (maxPool - 1)
		if w.old>>v&1 != 0 {
			step := skip >> 5
			if w.s+step > w.limit {
				return w.finish()
			}
			if from, ok := w.enter(w.s); ok {
				w.match(from)
				return true
			}
			w.s, skip = w.s+step, skip+step
			continue
		}
		p := w.path(w.s-w.start, skip)
		if w.s = w.start + p.next; w.s > w.limit {
			return w.finish()
		}
		w.touched = w.start
		skip = p.skip
		start := uint32(w.start)
		for _, x := range p.entries[v] {
			w.seen[x>>(64-tableBits)] = uint32(x) + start
		}
	}
}

// searchOutside is search up to the present record's value. ok is false at the
// block's end.
func (w *walk) searchOutside(skipped *int) (found, ok bool) {
	src, seen, holds := w.src, &w.seen, &w.pool.holds
	s, skip, start, limit := w.s, *skipped, w.start, w.limit
	for s < start {
		step := skip >> 5
		next := s + step
		if next > limit {
			return false, false
		}
		product := binary.LittleEndian.Uint32(src[s&(maxBlock-1):]) * hashFactor
		slot := product >> (32 - tableBits)
		before := seen[slot]
		seen[slot] = product<<posBits | uint32(s)
		if before^product<<posBits < 1<<posBits {
			if from := int(before & (1<<posBits - 1)); w.load(from) == w.load(s) {
				w.warm(product)
				w.s = s
				w.match(from)
				return true, true
			}
		}
		if holds[product>>(64-holdsBits+6-32)]>>(product>>(32-holdsBits)&63)&1 != 0 {
			w.warm(product)
		}
		s, skip = next, skip+step
	}
	w.s, *skipped = s, skip
	return false, true
}

// copies notes the copies that follow one another directly. It returns false
// at the block's end.
func (w *walk) copies() bool {
	for {
		if w.s >= w.limit {
			return w.finish()
		}
		w.enter(w.s - 1)
		from, same := w.enter(w.s)
		if !same {
			w.s++
			return true
		}
		w.match(from)
	}
}

// enter notes that the encoder entered position s, and returns where the bytes
// there came last.
func (w *walk) enter(s int) (from int, same bool) {
	product := w.load(s) * hashFactor
	slot, rest := place(product)
	before := w.seen[slot]
	w.seen[slot] = rest | uint32(s)
	w.pass(s)
	if s >= w.start {
		w.touched = w.start
	} else if w.pool.mayHold(product) {
		w.warm(product)
	}
	from = int(before & (1<<posBits - 1))
	return from, (before^rest)>>posBits == 0 && w.load(from) == w.load(s)
}

// warm notes values that have the bytes of a product.
func (e *Encoder) warm(product uint32) {
	for _, g := range e.pool.at(product) {
		if g.product == product {
			e.old |= 1 << g.value
		}
	}
}

// path returns the encoder's way through a value in which it finds nothing,
// from the given offset on with the given skip.
func (e *Encoder) path(offset, skip int) *path {
	if offset >= maxPathOffset || skip >= maxPathSkip {
		p := e.pool.path(offset, skip)
		return &p
	}
	known := &e.paths[offset][skip]
	if known.next == 0 {
		*known = e.pool.path(offset, skip)
	}
	return known
}
