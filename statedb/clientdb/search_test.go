//go:build cgo

package clientdb

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine/mdbxfile"
)

// search looks keys up in a data file, by nothing but its pages, and notes which it passes. It shares
// no code with package mdbxfile.
type search struct {
	t     *testing.T
	data  []byte
	size  int
	pages map[uint32]bool
}

func newSearch(t *testing.T, dir string, pageBytes int64, pages map[uint32]bool) *search {
	data, err := os.ReadFile(filepath.Join(dir, mdbxfile.Name))
	require.NoError(t, err)
	return &search{t, data, int(pageBytes), pages}
}

func (s *search) page(number uint32) []byte {
	s.pages[number] = true
	return s.data[int(number)*s.size:][:s.size]
}

// lookUp passes the pages of a lookup in a tree, which must find what is not absent.
func (s *search) lookUp(tree mdbxfile.Tree, e lookup) {
	n, ok := s.find(tree.Root, tree.Depth, e.Key)
	if !ok {
		require.True(s.t, e.absent, "%x", e.Key)
		return
	}
	u32 := func(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
	switch flags := n[4]; {
	case flags&1 != 0: // a value on large pages that follow one another
		number := u32(n[8+len(e.Key):])
		end := (20 + int(u32(n)) + s.size - 1) / s.size
		for i := range end {
			s.page(number + uint32(i))
		}
	case flags&6 == 6: // the values are a tree
		tree := n[8+len(e.Key):]
		root, depth := u32(tree[8:]), int(binary.LittleEndian.Uint16(tree[2:]))
		_, ok := s.find(root, depth, e.Value)
		require.Equal(s.t, !e.absent, ok)
		if e.absent {
			s.next(root, depth, e.Value)
		}
	}
}

// find returns the node of a key in a tree, none in pages of keys of a fixed size.
func (s *search) find(number uint32, depth int, key []byte) (n []byte, ok bool) {
	u16 := func(b []byte) int { return int(binary.LittleEndian.Uint16(b)) }
	for {
		p := s.page(number)
		count := u16(p[12:]) / 2
		if p[10]&0x20 != 0 {
			size := u16(p[8:])
			for i := range count {
				ok = ok || bytes.Equal(p[20+i*size:][:size], key)
			}
			return nil, ok
		}
		// The last node whose key is not beyond the wanted one; the first of a branch stands for all
		// keys before the second.
		var found []byte
		for i := range count {
			node := p[20+u16(p[20+2*i:]):]
			at := node[8 : 8+u16(node[6:])]
			if i > 0 && bytes.Compare(at, key) > 0 {
				break
			}
			found, ok = node, bytes.Equal(at, key)
		}
		if depth--; depth == 0 {
			return found, ok
		}
		number = binary.LittleEndian.Uint32(found)
	}
}

// next passes the pages of a tree on the way to the first key beyond one that it does not hold, and
// reports whether there is one.
func (s *search) next(number uint32, depth int, key []byte) bool {
	u16 := func(b []byte) int { return int(binary.LittleEndian.Uint16(b)) }
	p := s.page(number)
	count := u16(p[12:]) / 2
	fixed := p[10]&0x20 != 0
	at := func(i int) (node, own []byte) {
		if size := u16(p[8:]); fixed {
			return nil, p[20+i*size:][:size]
		}
		node = p[20+u16(p[20+2*i:]):]
		return node, node[8 : 8+u16(node[6:])]
	}
	if depth == 1 {
		_, last := at(count - 1)
		return bytes.Compare(last, key) > 0
	}
	for i := range count {
		if i+1 < count {
			if _, behind := at(i + 1); bytes.Compare(behind, key) <= 0 {
				continue
			}
		}
		node, _ := at(i)
		if s.next(binary.LittleEndian.Uint32(node), depth-1, key) {
			return true
		}
	}
	return false
}
