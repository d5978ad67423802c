package workload

import (
	"bytes"
	"fmt"

	"getio/dataset"
)

// Scan holds what scans return against what must be there, one scan after another. The
// keys that a sequence asks for are where they begin.
type Scan struct {
	gets   Sequence
	known  follower // nil: nothing is known of what comes behind a key
	length int

	g         int64
	want      Want
	first     []byte
	following // records of the scan
	met       int
	last      []byte // key
	found     bool   // the first key exists
}

// follower is a sequence that knows what comes behind a key.
type follower interface {
	// follow is what comes from Get number g's key on.
	follow(key []byte, want Want) following
	// checkFollowing holds record number i of these against what must come.
	checkFollowing(g int64, f following, i int, key, value []byte) error
}

// following is records that follow each other: those of key numbers from, from+1 and so
// on below of, where keys are numbered in their order.
type following struct {
	numbered bool
	from, of uint64
}

// NewScan prepares for scans of so many records.
func NewScan(gets Sequence, length int) *Scan {
	s := &Scan{gets: gets, length: length}
	s.known, _ = gets.(follower)
	return s
}

// Begin begins the scan from Get number g's key on.
func (s *Scan) Begin(g int64, key []byte, want Want) {
	s.g, s.first, s.want, s.met, s.found = g, key, want, 0, false
	if s.known != nil {
		s.following = s.known.follow(key, want)
	}
}

// Record holds the next record against what must come.
func (s *Scan) Record(key, value []byte) error {
	if s.met == 0 {
		if err := s.begin(key, value); err != nil {
			return err
		}
	} else if bytes.Compare(key, s.last) <= 0 {
		return fmt.Errorf("key %x came behind key %x in a scan: the database does not hold what it should, so no figure of this run is valid", key, s.last)
	}
	if s.known != nil {
		if err := s.known.checkFollowing(s.g, s.following, s.met, key, value); err != nil {
			return err
		}
	}
	s.met++
	s.last = append(s.last[:0], key...)
	return nil
}

// begin looks at the first record.
func (s *Scan) begin(key, value []byte) error {
	order := bytes.Compare(key, s.first)
	if order < 0 {
		return fmt.Errorf("a scan from key %x on began with key %x: the database does not hold what it should, so no figure of this run is valid", s.first, key)
	}
	s.found = order == 0
	return s.gets.Check(s.g, s.want, s.first, s.found, value)
}

// End ends the scan: how many records it met, and whether its first key exists. Fewer
// records than asked for may come where the keys end.
func (s *Scan) End() (records int, found bool, err error) {
	if s.met == 0 {
		if err := s.gets.Check(s.g, s.want, s.first, false, nil); err != nil {
			return 0, false, err
		}
	}
	if s.met < s.length && s.numbered && uint64(s.met) < s.of-s.from {
		return 0, false, fmt.Errorf("a scan from key %x on ended after %d records, where %d keys come: the database is not the one that getio.json describes", s.first, s.met, s.of-s.from)
	}
	return s.met, s.found, nil
}

// follow implements follower.
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

// checkFollowing implements follower. Of keys that are not numbered in their order, only
// the values' size is known.
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
