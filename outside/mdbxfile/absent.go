package mdbxfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
)

// mostChanges limits the changes of an entry until the table does not hold it. Only a table that
// holds almost all keys of their length reaches it.
const mostChanges = 10_000

// Absent returns an entry like e that the table does not hold: in a table with DupSort, the same key
// with a random value as long as the one of e; otherwise, the key with a random second half, so that
// it stays among those of its kind.
func (s *Sampler) Absent(e Entry) (Entry, error) {
	if s.table.Flags&(ReverseKey|IntegerKey|IntegerDup|ReverseDup) != 0 {
		return e, fmt.Errorf("table %s is not in the order of bytes, so its absent keys cannot be told: choose another one with --table, or measure existing keys only", Printable(s.table.Name))
	}
	absent := Entry{Key: bytes.Clone(e.Key)}
	changed := absent.Key[len(e.Key)/2:]
	if s.table.Flags&DupSort != 0 {
		absent.Value = bytes.Clone(e.Value)
		changed = absent.Value
	}
	for range mostChanges {
		s.fill(changed)
		held, err := s.holds(absent)
		if err != nil {
			return e, fmt.Errorf("cannot look up a key in the pages of table %s (%w): if the database is damaged, restore it from a copy", Printable(s.table.Name), err)
		}
		if !held {
			return absent, nil
		}
	}
	return e, fmt.Errorf("table %s holds every key like %x, so none is absent: choose another one with --table, or measure existing keys only", Printable(s.table.Name), e.Key)
}

// fill makes bytes random.
func (s *Sampler) fill(b []byte) {
	var word [8]byte
	for len(b) > 0 {
		binary.LittleEndian.PutUint64(word[:], s.random.Uint64())
		b = b[copy(b, word[:]):]
	}
}

// holds reports whether the table holds an entry. Values count in tables with DupSort.
func (s *Sampler) holds(e Entry) (bool, error) {
	n, found, err := s.find(s.table.Tree, e.Key)
	switch {
	case err != nil || !found || s.table.Flags&DupSort == 0:
		return found, err
	case n.flags&dupNode == 0:
		return bytes.Equal(n.data, e.Value), nil
	case n.flags&treeNode == 0:
		if len(n.data) < headerBytes {
			return false, errCut
		}
		_, found, err = page(n.data).find(e.Value)
		return found, err
	case len(n.data) < treeBytes:
		return false, errCut
	}
	_, found, err = s.find(treeOf(n.data), e.Value)
	return found, err
}

// find returns the node of a key in the leaves of a tree.
func (s *Sampler) find(t Tree, key []byte) (n node, found bool, err error) {
	if err := t.check(); err != nil {
		return n, false, err
	}
	s.file.left = int64(t.Depth)
	number := t.Root
	for height := t.Depth - 1; height > 0; height-- {
		p, err := s.page(number, height)
		if err != nil {
			return n, false, err
		}
		if n, err = p.child(key); err != nil {
			return n, false, err
		}
		number = n.below
	}
	p, err := s.page(number, 0)
	if err != nil {
		return n, false, err
	}
	return p.find(key)
}

// child returns the node of a branch that a key lies below: the last one whose key is not beyond it.
// The first node stands for all keys before the second, whatever its own key is.
func (p page) child(key []byte) (node, error) {
	if p.nodes() == 0 {
		return node{}, errEmpty
	}
	i, err := p.search(1, page.node, func(k []byte) bool { return bytes.Compare(k, key) > 0 })
	if err != nil {
		return node{}, err
	}
	return p.node(i - 1)
}

// find returns the node of a key in a leaf.
func (p page) find(key []byte) (n node, found bool, err error) {
	i, err := p.search(0, page.value, func(k []byte) bool { return bytes.Compare(k, key) >= 0 })
	if err != nil || i == p.nodes() {
		return n, false, err
	}
	n, err = p.value(i)
	return n, err == nil && bytes.Equal(n.key, key), err
}

// search returns the number of the first node, counted from a first one on, whose key meets a
// condition that those of all later nodes meet; the number of nodes if none does.
func (p page) search(first int, get func(page, int) (node, error), meets func(key []byte) bool) (i int, err error) {
	i = first + sort.Search(p.nodes()-first, func(i int) bool {
		n, e := get(p, first+i)
		if e != nil {
			err = e
		}
		return e == nil && meets(n.key)
	})
	return i, err
}
