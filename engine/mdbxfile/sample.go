package mdbxfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"getio/system/filesystem"
	"getio/system/pagecache"
)

// Entry is a key of a table and its value or, in a table with DupSort, one of its values. A value
// on large pages is nil.
type Entry struct {
	Key, Value []byte
	several    bool // the key has other values, too
}

// Sampler draws entries from the pages of a table: each key as often as any other and, of several
// values, each as often as any other.
//
// It goes from the root to a leaf. In each page, it chooses one of as many slots as the fullest page
// seen at that height has nodes, and starts again at the root if there is no node in the slot: so
// nodes of full and of empty pages are as likely. A first few hundred draws find the fullest.
type Sampler struct {
	file    *file
	closer  *os.File
	table   Table
	seed    uint64
	random  *rand.Rand
	kept    map[uint32]page                       // branch pages, up to mostKept
	fullest struct{ table, values [maxDepth]int } // nodes of the fullest page, by height above the leaves
}

// mostKept is how many branch pages a sampler keeps: 64 MiB of pages of 4 KiB.
const mostKept = 1 << 14

// pilotDraws find how full pages are.
const pilotDraws = 256

// NewSampler returns a sampler of a table of the database in dir, which must not change meanwhile.
func (d *Database) NewSampler(dir string, table Table, seed uint64) (*Sampler, error) {
	f, err := filesystem.OpenRegular(filepath.Join(dir, Name))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Join(dir, Name), err)
	}
	// Neighbouring pages are of no use.
	pagecache.ExpectRandomReads(f)
	s := &Sampler{file: &file{ReaderAt: f, pageBytes: d.PageBytes}, closer: f, table: table, seed: seed, kept: map[uint32]page{}}
	s.random = s.stream(0)
	for range pilotDraws {
		if _, err := s.Next(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// stream returns random numbers that depend on the seed and on the stream's number: 0 for Next, odd
// ones for Numbered, and even ones for Absent.
func (s *Sampler) stream(number uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, number)) }

// Close closes the file.
func (s *Sampler) Close() error { return s.closer.Close() }

// Numbered draws an entry by random numbers that depend on the seed and on n alone. As long as no
// fuller page is seen, the same n gives the same entry.
func (s *Sampler) Numbered(n uint64) (Entry, error) {
	defer func(before *rand.Rand) { s.random = before }(s.random)
	s.random = s.stream(2*n + 1)
	return s.Next()
}

// Next draws an entry.
func (s *Sampler) Next() (e Entry, err error) {
	n, err := s.draw(s.table.Tree, &s.fullest.table)
	value := n.data
	if err == nil && n.flags&dupNode != 0 {
		value, err = s.value(n)
	}
	if err != nil {
		return e, fmt.Errorf("cannot draw keys of table %s (%w): if the database is damaged, restore it from a copy", Printable(s.table.Name), err)
	}
	e.Key, e.several = bytes.Clone(n.key), n.flags&dupNode != 0 // a node is a part of its page
	if n.flags&bigNode == 0 {
		e.Value = bytes.Clone(value)
	}
	return e, nil
}

// value draws one of the values of a key.
func (s *Sampler) value(n node) ([]byte, error) {
	if n.flags&treeNode == 0 {
		values := page(n.data)
		if len(values) < headerBytes || values.nodes() == 0 {
			return nil, errCut
		}
		v, err := values.value(s.random.IntN(values.nodes()))
		return v.key, err
	}
	values, err := n.tree()
	if err != nil {
		return nil, err
	}
	v, err := s.draw(values, &s.fullest.values)
	return v.key, err
}

// mostRestarts is how often a draw may start again. Pages are at least a few per cent as full as the
// fullest.
const mostRestarts = 1 << 20

// draw draws a node of the leaves of a tree.
func (s *Sampler) draw(t Tree, fullest *[maxDepth]int) (n node, err error) {
	if err := t.check(); err != nil {
		return n, err
	}
	for range mostRestarts {
		n, found, err := s.descend(t, fullest)
		if found || err != nil {
			return n, err
		}
	}
	return n, errors.New("its pages are almost empty")
}

// check refuses a tree without pages, or with more levels than there may be.
func (t Tree) check() error {
	if t.Root == noPage || t.Depth < 1 || t.Depth > maxDepth {
		return fmt.Errorf("a tree of depth %d", t.Depth)
	}
	return nil
}

var errEmpty = errors.New("an empty page")

func (s *Sampler) descend(t Tree, fullest *[maxDepth]int) (n node, found bool, err error) {
	s.file.left = int64(t.Depth)
	number := t.Root
	for height := t.Depth - 1; ; height-- {
		p, err := s.page(number, height)
		if err != nil {
			return n, false, err
		}
		slots := p.nodes()
		if number != t.Root {
			fullest[height] = max(fullest[height], slots)
			slots = fullest[height]
		}
		if slots == 0 {
			return n, false, errEmpty
		}
		i := s.random.IntN(slots)
		if i >= p.nodes() {
			return n, false, nil
		}
		if height == 0 {
			n, err = p.value(i)
			return n, err == nil, err
		}
		if n, err = p.node(i); err != nil {
			return n, false, err
		}
		number = n.below
	}
}

// page reads a page at a height above the leaves. Those of branches are kept.
func (s *Sampler) page(number uint32, height int) (page, error) {
	if height == 0 {
		return s.file.page(number, leafPage|fixedPage)
	}
	if p, ok := s.kept[number]; ok {
		return p, nil
	}
	p, err := s.file.page(number, branchPage)
	if err == nil && len(s.kept) < mostKept {
		s.kept[number] = p
	}
	return p, err
}

// value returns the i-th node of a leaf. Where values have a fixed size, they follow one another
// behind the header, without nodes.
func (p page) value(i int) (node, error) {
	if p.flags()&fixedPage == 0 {
		return p.node(i)
	}
	size := p.fixedBytes()
	at := headerBytes + i*size
	if at+size > len(p) {
		return node{}, errCut
	}
	return node{key: p[at : at+size]}, nil
}
