package dataset

import (
	"encoding/binary"
	"math"
	"slices"
)

// randomValues gives every key its own random bytes in every round.
type randomValues struct {
	size   int
	random stream
}

func (v randomValues) Updated(i, round uint64, dst []byte) []byte {
	dst = slices.Grow(dst[:0], v.size)[:v.size]
	fill(dst, v.start(i, round))
	return dst
}

func (v randomValues) is(i, round uint64, value []byte) bool { return filled(value, v.start(i, round)) }

func (randomValues) distinct() uint64 { return math.MaxUint64 }

// start returns the random word from which a value is generated.
func (v randomValues) start(i, round uint64) uint64 {
	return mix64(v.random.word(i) ^ mix64(round))
}

// fill fills b with the random bytes generated from start: the words of SplitMix64 in
// little-endian order, with the last one truncated.
func fill(b []byte, start uint64) {
	for len(b) >= 8 {
		start += golden
		binary.LittleEndian.PutUint64(b, mix64(start))
		b = b[8:]
	}
	if len(b) > 0 {
		last := lastWord(start)
		copy(b, last[:])
	}
}

// filled reports whether b is what fill would write. It stops at the first difference.
func filled(b []byte, start uint64) bool {
	for len(b) >= 8 {
		start += golden
		if binary.LittleEndian.Uint64(b) != mix64(start) {
			return false
		}
		b = b[8:]
	}
	last := lastWord(start)
	return string(b) == string(last[:len(b)])
}

func lastWord(start uint64) (last [8]byte) {
	binary.LittleEndian.PutUint64(last[:], mix64(start+golden))
	return last
}
