package dataset

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// stratified divides the space of the first 64 bits into n equal buckets and draws one key from
// each. Bucket i is [floor(i*2^64/n), floor((i+1)*2^64/n)). Since 2^64/n > 1 for every n, no bucket
// is empty and buckets do not overlap. So the first 64 bits of keys are strictly ascending.
type stratified struct {
	n uint64
	// 2^64 = n*quotient + remainder. For n = 1 the quotient overflows to 0; see offset.
	quotient, remainder uint64
	keys, absent        stream
}

func newStratified(n, seed uint64) *stratified {
	s := &stratified{n: n, keys: newStream(seed, forKeys), absent: newStream(seed, forAbsentKeys)}
	if n > 1 {
		s.quotient, s.remainder = bits.Div64(1, 0, n)
	}
	return s
}

func (*stratified) Kind() string  { return KeyspaceStratified }
func (s *stratified) Len() uint64 { return s.n }

func (s *stratified) Key(i uint64, dst *[KeySize]byte) {
	first, width := s.bucket(i)
	draw(first, width, s.keys.word(i), dst)
}

// Absent draws a second key from a random bucket. It can only be equal to that bucket's own key.
func (s *stratified) Absent(r uint64, dst *[KeySize]byte) {
	random := s.absent.word(r)
	bucket := Bounded(mix64(random), s.n)
	first, width := s.bucket(bucket)
	draw(first, width, random, dst)
	var written [KeySize]byte
	s.Key(bucket, &written)
	makeDiffer(dst, &written)
}

// makeDiffer flips the last bit of key if key is equal to other. That does not move a key
// of 32 bytes to another bucket.
func makeDiffer(key, other *[KeySize]byte) {
	if *key == *other {
		key[KeySize-1] ^= 1
	}
}

// draw writes to dst the key that a random word selects in the bucket [first, first+width).
func draw(first, width, random uint64, dst *[KeySize]byte) {
	binary.BigEndian.PutUint64(dst[0:], first+offset(random, width))
	binary.BigEndian.PutUint64(dst[8:], mix64(random+golden))
	const twice = golden << 1 & (1<<64 - 1)
	random += twice
	binary.BigEndian.PutUint64(dst[16:], mix64(random))
	binary.BigEndian.PutUint64(dst[24:], mix64(random+golden))
}

// bucket returns the first value of bucket i and its width. The width follows from the
// remainder, which saves a second division.
func (s *stratified) bucket(i uint64) (first, width uint64) {
	first, rest := bits.Div64(i, 0, s.n)
	width = s.quotient
	if rest >= s.n-s.remainder {
		width++
	}
	return first, width
}

// offset scales a random word to 0..width-1. A width of 0 means 2^64.
func offset(random, width uint64) uint64 {
	if width == 0 {
		return random
	}
	return Bounded(random, width)
}

// Place implements Ascending.
func (s *stratified) Place(key []byte) uint64 {
	high := uint64(newPrefix(key))
	bucket := Bounded(high, s.n)
	if bucket+1 < s.n { // both bounds are rounded
		if next, _ := s.bucket(bucket + 1); high >= next {
			bucket++
		}
	}
	var own [KeySize]byte
	if s.Key(bucket, &own); bytes.Compare(own[:], key) < 0 {
		bucket++
	}
	return bucket
}
