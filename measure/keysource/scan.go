package keysource

import (
	"bytes"
	"fmt"

	"getio/workload/dataset"
)

// Scan checks the records that scans return, one scan after another. Each begins at a key of the
// sequence.
type Scan struct {
	gets   Sequence
	known  *written // gets, if the following keys are known; else nil
	length int

	g         int64
	want      Want
	first     []byte
	following        // records of the scan
	seen      int    // records
	last      []byte // key
	found     bool   // the first key exists
}

// following describes consecutive records. If keys are numbered in key order, these are the keys
// numbered from, from+1, ..., of-1.
type following struct {
	numbered bool
	from, of uint64
}

// NewScan returns a Scan for scans of length records.
func NewScan(gets Sequence, length int) *Scan {
	s := &Scan{gets: gets, length: length}
	s.known, _ = gets.(*written)
	return s
}

// Begin begins the scan that starts at the key of Get g.
func (s *Scan) Begin(g int64, key []byte, want Want) {
	s.g, s.first, s.want, s.seen, s.found = g, key, want, 0, false
	if s.known != nil {
		s.following = s.known.follow(key, want)
	}
}

// Record checks the next record.
func (s *Scan) Record(key, value []byte) error {
	if s.seen == 0 {
		if err := s.begin(key, value); err != nil {
			return err
		}
	} else if bytes.Compare(key, s.last) <= 0 {
		return fmt.Errorf("a scan returned key %x after key %x, so no figure of this run is valid: restore the database from a copy", key, s.last)
	}
	if s.known != nil {
		if err := s.known.checkFollowing(s.g, s.following, s.seen, key, value); err != nil {
			return err
		}
	}
	s.seen++
	s.last = append(s.last[:0], key...)
	return nil
}

// begin checks the first record.
func (s *Scan) begin(key, value []byte) error {
	order := bytes.Compare(key, s.first)
	if order < 0 {
		return fmt.Errorf("a scan from key %x on began with key %x, so no figure of this run is valid: restore the database from a copy", s.first, key)
	}
	s.found = order == 0
	return s.gets.Check(s.g, s.want, s.first, s.found, value)
}

// End ends the scan. It returns the number of records and whether the first key exists. A scan
// that reaches the last key may return fewer records than requested.
func (s *Scan) End() (records int, found bool, err error) {
	if s.seen == 0 {
		if err := s.gets.Check(s.g, s.want, s.first, false, nil); err != nil {
			return 0, false, err
		}
	}
	if s.seen < s.length && s.numbered && uint64(s.seen) < s.of-s.from {
		return 0, false, fmt.Errorf("a scan from key %x on ended after %d records, where %d keys come: the database is not the one that getio.json describes", s.first, s.seen, s.of-s.from)
	}
	return s.seen, s.found, nil
}

// follow returns the records that a scan from the key must return.
func (w *written) follow(key []byte, want Want) following {
	ks, numbered := w.keys.(dataset.Ascending)
	switch {
	case !numbered:
		return following{}
	case want.Present:
		return following{true, want.Index, w.keys.Len()}
	}
	return following{true, ks.Place(key), w.keys.Len()}
}

// checkFollowing checks record i of those. If keys are not numbered in key order, it checks only the size of values.
func (w *written) checkFollowing(g int64, f following, i int, key, value []byte) error {
	if !f.numbered {
		return w.checkSize(key, value)
	}
	number := f.from + uint64(i)
	var want [dataset.KeySize]byte
	if number < f.of {
		w.keys.Key(number, &want)
	}
	if number >= f.of || !bytes.Equal(key, want[:]) {
		return fmt.Errorf("key %x came in a scan where key %d of %d should: the database is not the one that getio.json describes", key, number, f.of)
	}
	return w.Check(g, Want{Present: true, Index: number}, key, true, value)
}

func (w *written) checkSize(key, value []byte) error {
	if w.values != nil && len(value) != w.values.Size() {
		return fmt.Errorf("key %x has a value of %d bytes where %d were written: the database is not the one that getio.json describes",
			key, len(value), w.values.Size())
	}
	return nil
}
