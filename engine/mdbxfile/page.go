package mdbxfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A page begins with a header of 20 bytes: the number of a transaction (8), a size of keys (2), flags
// (2), the bytes of the offsets that follow (2) and the lower end of the nodes (2), or instead of these
// two the number of pages of a large value (4), and the page's own number (4). Offsets of nodes (2 each)
// count from behind the header. All numbers are little-endian (libmdbx v0.13, src/layout-dxb.h).
const (
	headerBytes = 20

	fixedAt  = 8
	flagsAt  = 10
	lowerAt  = 12
	numberAt = 16

	branchPage = 0x01
	leafPage   = 0x02
	largePage  = 0x04
	fixedPage  = 0x20 // a leaf whose keys have a fixed size
)

// page is a page of a tree.
type page []byte

func (p page) flags() uint16 { return binary.LittleEndian.Uint16(p[flagsAt:]) }

// nodes returns how many nodes a page of a tree has.
func (p page) nodes() int { return int(binary.LittleEndian.Uint16(p[lowerAt:])) / 2 }

// A node begins with 8 bytes: the size of its data, or the page below (4), flags (1), one byte, and the
// size of its key (2). Key and data follow.
const (
	nodeBytes = 8

	bigNode  = 0x01 // the data is the number of a large page
	treeNode = 0x02 // the data is a tree
	dupNode  = 0x04 // the data is the values of a key: a tree, or a small page
)

// node is an entry of a page.
type node struct {
	key, data []byte // data of a leaf
	below     uint32 // page, of a branch
	flags     uint8
}

// fixedBytes returns the size of each key of a page whose keys have a fixed size.
func (p page) fixedBytes() int { return int(binary.LittleEndian.Uint16(p[fixedAt:])) }

// node returns the i-th node of a branch or leaf.
func (p page) node(i int) (n node, err error) {
	at := headerBytes + 2*i
	if at+2 > len(p) {
		return n, errCut
	}
	at = headerBytes + int(binary.LittleEndian.Uint16(p[at:]))
	if at+nodeBytes > len(p) {
		return n, errCut
	}
	head := p[at : at+nodeBytes]
	n.below, n.flags = binary.LittleEndian.Uint32(head), head[4]
	key := int(binary.LittleEndian.Uint16(head[6:]))
	rest := p[at+nodeBytes:]
	if key > len(rest) {
		return n, errCut
	}
	n.key = rest[:key]
	if p.flags()&branchPage != 0 {
		return n, nil
	}
	size := int(n.below)
	if n.flags&bigNode != 0 {
		size = 4
	}
	if size > len(rest)-key {
		return n, errCut
	}
	n.data = rest[key : key+size]
	return n, nil
}

// tree returns the tree that is the node's data.
func (n node) tree() (Tree, error) {
	if len(n.data) < treeBytes {
		return Tree{}, errCut
	}
	return treeOf(n.data), nil
}

var errCut = errors.New("a node leads out of its page")

// file is a data file with its page size, and how many pages may be read before there must be a cycle.
type file struct {
	io.ReaderAt
	pageBytes int64
	left      int64
}

// page reads a page and checks that it is the one of that number, of one of some kinds.
func (f *file) page(number uint32, kinds uint16) (page, error) {
	if f.left--; f.left < 0 {
		return nil, errors.New("its trees have more pages than the file")
	}
	p := make(page, f.pageBytes)
	if err := readWhole(f, p, int64(number)*f.pageBytes); err != nil {
		return nil, fmt.Errorf("page %d: %w", number, err)
	}
	if got := binary.LittleEndian.Uint32(p[numberAt:]); got != number || p.flags()&kinds == 0 {
		return nil, fmt.Errorf("page %d is numbered %d and has flags %#x", number, got, p.flags())
	}
	return p, nil
}

// leaves calls f with each node of a tree's leaves, in the order of their keys.
func (f *file) leaves(t Tree, visit func(node) error) error {
	if t.Root == noPage {
		return nil
	}
	if err := t.check(); err != nil {
		return err
	}
	return f.descend(t.Root, t.Depth, visit)
}

// maxDepth is that of the library's cursors (src/layout-dxb.h, CURSOR_STACK_SIZE).
const maxDepth = 32

func (f *file) descend(number uint32, depth int, visit func(node) error) error {
	kind := uint16(branchPage)
	if depth <= 1 {
		kind = leafPage
	}
	p, err := f.page(number, kind)
	if err != nil {
		return err
	}
	for i := range p.nodes() {
		n, err := p.node(i)
		if err != nil {
			return fmt.Errorf("page %d: %w", number, err)
		}
		if depth <= 1 {
			err = visit(n)
		} else {
			err = f.descend(n.below, depth-1, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readWhole fills a buffer from a file.
func readWhole(f io.ReaderAt, buffer []byte, at int64) error {
	_, err := f.ReadAt(buffer, at)
	if errors.Is(err, io.EOF) {
		return errors.New("the file is too short")
	}
	return err
}
