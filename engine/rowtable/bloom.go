package rowtable

import (
	"encoding/binary"

	"getio/engine/blockformat"
)

// filter collects the keys of a table's Bloom filter. If only the filter's size is needed,
// it computes no hashes and assumes that successive keys have different ones. The library
// counts equal successive hashes once, which happens for one pair of keys in 2^32.
type filter struct {
	bits     int
	sizeOnly bool
	n        int
	hashes   []uint32
}

func (f *filter) add(key *[KeySize]byte) {
	if f.bits == 0 {
		return
	}
	if f.sizeOnly {
		f.n++
		return
	}
	h := hashKey(key)
	if n := len(f.hashes); n > 0 && f.hashes[n-1] == h {
		return
	}
	f.hashes = append(f.hashes, h)
	f.n++
}

// size returns the size of the filter without its block trailer.
func (f *filter) size() int { return int(blockformat.FilterLen(int64(f.n), int64(f.bits))) }

// build returns the filter.
func (f *filter) build() []byte {
	lines := uint32(blockformat.FilterLines(int64(f.n), int64(f.bits)))
	bitmap := make([]byte, f.size())
	if lines == 0 {
		return bitmap
	}
	probes := blockformat.Probes(float64(f.bits))
	const lineBits = 8 * blockformat.FilterLine
	for _, h := range f.hashes {
		line := bitmap[h%lines*blockformat.FilterLine:][:blockformat.FilterLine]
		delta := h>>17 | h<<15
		for range probes {
			bit := h % lineBits
			line[bit/8] |= 1 << (bit % 8)
			h += delta
		}
	}
	tail := bitmap[lines*blockformat.FilterLine:]
	tail[0] = byte(probes)
	binary.LittleEndian.PutUint32(tail[1:], lines)
	return bitmap
}

// hashKey is the filter's hash, a relative of Murmur (Pebble: bloom/bloom.go,
// hash), of a key whose length is a multiple of 4.
func hashKey(key *[KeySize]byte) uint32 {
	const (
		seed = 0xbc9f1d34
		m    = 0xc6a4a793
	)
	h := uint32(seed ^ KeySize*m&(1<<32-1))
	for i := 0; i < KeySize; i += 4 {
		h = (h + binary.LittleEndian.Uint32(key[i:])) * m
		h ^= h >> 16
	}
	return h
}
