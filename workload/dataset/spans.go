package dataset

import (
	"bytes"
	"math/bits"
	"sort"
)

// spans is the key space of a tree. It divides the range of each table into as many equal
// parts as the table has keys, and draws one key from each part. The first 64 bits of keys
// ascend within a table; levels overlap.
//
// The last bit of every key is 0; that of an absent key is 1.
type spans struct {
	tree         *Tree
	keys, absent stream
}

// NewKeyspace returns the key space of the tree.
func (t *Tree) NewKeyspace(seed uint64) Keyspace { return t.newSpans(seed) }

func (t *Tree) newSpans(seed uint64) *spans {
	return &spans{tree: t, keys: newStream(seed, forKeys), absent: newStream(seed, forAbsentKeys)}
}

func (*spans) Kind() string  { return KeyspaceStratified }
func (s *spans) Len() uint64 { return s.tree.Keys() }

func (s *spans) Key(i uint64, dst *[KeySize]byte) {
	first, width := s.bucket(i)
	draw(first, width, s.keys.word(i), dst)
	dst[KeySize-1] &^= 1
}

// Absent draws another key from a random key's part of the key space.
func (s *spans) Absent(r uint64, dst *[KeySize]byte) {
	random := s.absent.word(r)
	first, width := s.bucket(Bounded(mix64(random), s.Len()))
	draw(first, width, random, dst)
	dst[KeySize-1] |= 1
}

// bucket returns the first value of key i's part of the space, and its width.
func (s *spans) bucket(i uint64) (first, width uint64) {
	from := s.tree.from
	table := sort.Search(len(from)-2, func(t int) bool { return from[t+1] > i })
	c := s.tree.parts(table, i-from[table])
	return c.next()
}

// parts iterates over the parts of table i's range, starting at part n.
func (t *Tree) parts(i int, n uint64) partCursor {
	table := &t.Tables[i]
	size := uint64(table.Last - table.First)
	c := partCursor{keys: table.Keys, quotient: size / table.Keys, remainder: size % table.Keys}
	high, low := bits.Mul64(n, size)
	c.first, c.rest = bits.Div64(high, low, table.Keys)
	c.first += uint64(table.First)
	return c
}

// partCursor iterates over the parts of a range. Part j of n begins at floor(j*size/n);
// rest carries the remainder of the division.
type partCursor struct{ first, rest, keys, quotient, remainder uint64 }

func (c *partCursor) next() (first, width uint64) {
	first, width = c.first, c.quotient
	c.first += c.quotient
	if c.rest += c.remainder; c.rest >= c.keys {
		c.rest -= c.keys
		c.first++
		width++
	}
	return first, width
}

// Cursor iterates over a table's records in order. It is not safe for concurrent use.
type Cursor struct {
	parts partCursor
	seqs  seqCursor
	keys  stream
	index uint64
}

// Cursor returns a cursor over the records of table i, starting at record n.
func (t *Tree) Cursor(seed uint64, i int, n uint64) Cursor {
	return Cursor{parts: t.parts(i, n), seqs: t.seqs(i, n), keys: newStream(seed, forKeys), index: t.from[i] + n}
}

// Next writes the next record's key to dst and returns the key number and the sequence
// number. The caller must stop after the table's last record.
func (c *Cursor) Next(dst *[KeySize]byte) (index, seq uint64) {
	index = c.index
	c.index++
	first, width := c.parts.next()
	draw(first, width, c.keys.word(index), dst)
	dst[KeySize-1] &^= 1
	return index, c.seqs.next()
}

// Rank returns the number of records of table i with keys up to and including key, which
// may be shorter than KeySize.
func (t *Tree) Rank(seed uint64, i int, key []byte) uint64 {
	table := &t.Tables[i]
	at := newPrefix(key)
	switch {
	case at < table.First:
		return 0
	case at >= table.Last:
		return table.Keys
	}
	// Find the part that contains the prefix. Keys of earlier parts are below key, and keys
	// of later parts are above it.
	size := uint64(table.Last - table.First)
	high, low := bits.Mul64(uint64(at-table.First)+1, table.Keys)
	n, rest := bits.Div64(high, low, size)
	if rest == 0 {
		n--
	}
	cursor := t.Cursor(seed, i, n)
	var own [KeySize]byte
	if cursor.Next(&own); bytes.Compare(own[:], key) <= 0 {
		n++
	}
	return n
}
