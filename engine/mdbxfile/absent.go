package mdbxfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sort"
)

// RequireAbsent refuses a table that does not sort its keys and values by their bytes: a search of its
// pages would not find them.
func (t Table) RequireAbsent() error {
	if t.Flags&(ReverseKey|IntegerKey|IntegerDup|ReverseDup) != 0 {
		return fmt.Errorf("no absent keys can be made for table %s, which does not sort by bytes: choose another one with --table, or leave --absent out", Printable(t.Name))
	}
	return nil
}

// changes is how many changes of an entry are tried. None helps if its key is empty, or if the table
// holds all keys with the same first half.
const changes = 100

// Absent returns an entry like e that the table does not hold, and whether there is one. If the key has
// several values, the value becomes random; otherwise the second half of the key does, so that the
// first half still marks its kind. The table must meet RequireAbsent. The same n changes an entry in the same way.
func (s *Sampler) Absent(e Entry, n uint64) (absent Entry, found bool, err error) {
	absent.Key = bytes.Clone(e.Key)
	changed := absent.Key[len(e.Key)/2:]
	if s.table.Flags&DupSort != 0 {
		absent.Value = bytes.Clone(e.Value) // which is looked up beside the key
	}
	if e.several {
		changed = absent.Value
	}
	random := s.stream(2*n + 2)
	for range changes {
		scramble(changed, random)
		held, err := s.holds(absent)
		if err != nil {
			return e, false, fmt.Errorf("cannot look up a key in the pages of table %s (%w): if the database is damaged, restore it from a copy", Printable(s.table.Name), err)
		}
		if !held {
			return absent, true, nil
		}
	}
	return e, false, nil
}

// scramble makes bytes random.
func scramble(b []byte, random *rand.Rand) {
	var word [8]byte
	for len(b) > 0 {
		binary.LittleEndian.PutUint64(word[:], random.Uint64())
		b = b[copy(b, word[:]):]
	}
}

// holds reports whether the table holds an entry: in a table with DupSort, its key with its value.
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
	}
	values, err := n.tree()
	if err == nil {
		_, found, err = s.find(values, e.Value)
	}
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

// search returns the index of the first node, from a first one on, whose key meets a condition, or
// nodes() if none does. All nodes behind one that meets it must meet it, too.
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
