package mdbxfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Each of the first three pages describes the state after a transaction, behind its header: a magic
// number of 7 bytes with a version of one, the transaction (8), 4 bytes, the geometry (20: 4 bytes, then
// the numbers of pages that the file has at least, at most, now, and in use), the tree of free pages (48)
// and the main tree (48), 40 bytes, and the transaction again, which differs while the page is written
// (libmdbx v0.13, src/layout-dxb.h, meta_t).
const (
	metaPages = 3

	magic = 0x59659DBDEF4C11
	// FormatVersion is that of the databases that this package reads.
	FormatVersion = 3

	transactionAt = 8
	geometryAt    = 20
	freeAt        = 40
	mainAt        = freeAt + treeBytes
	againAt       = mainAt + treeBytes + 40
	metaBytes     = againAt + 8
)

// A tree is 48 bytes: flags (2), height (2), a size (4: of the fixed values of a key or, in the tree of
// free pages, of a page), the root and the numbers of branch, leaf and large pages (4 each), a sequence
// (8), the number of entries (8) and the last transaction that changed it (8).
const treeBytes = 48

// noPage is the root of an empty tree.
const noPage = ^uint32(0)

// Tree is a B+tree as the library counts it. The trees that keys with many values have count with that
// of their table.
type Tree struct {
	Flags                              uint16
	Depth                              int
	Root                               uint32
	BranchPages, LeafPages, LargePages int64
	Entries                            uint64
	xsize                              uint32
}

// Flags of trees (mdbx.h, MDBX_db_flags_t).
const (
	ReverseKey = 0x02
	DupSort    = 0x04
	IntegerKey = 0x08
	DupFixed   = 0x10
	IntegerDup = 0x20
	ReverseDup = 0x40
)

func treeOf(b []byte) Tree {
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
	return Tree{
		Flags: binary.LittleEndian.Uint16(b), Depth: int(binary.LittleEndian.Uint16(b[2:])), xsize: uint32(number(4)),
		Root: uint32(number(8)), BranchPages: number(12), LeafPages: number(16), LargePages: number(20),
		Entries: binary.LittleEndian.Uint64(b[32:]),
	}
}

// meta is the newest state of a database.
type meta struct {
	transaction uint64
	now, used   int64 // pages
	free, main  Tree
}

// otherVersion is the error for another format of the file.
type otherVersion uint8

func (v otherVersion) Error() string { return fmt.Sprintf("format %d", uint8(v)) }

// newest reads the newest state that is completely written.
func newest(f io.ReaderAt) (m meta, pageBytes int64, err error) {
	var head [headerBytes + metaBytes]byte
	if err := readWhole(f, head[:], 0); err != nil {
		return m, 0, err
	}
	word := binary.LittleEndian.Uint64(head[headerBytes:])
	if word>>8 != magic {
		return m, 0, errors.New("it does not begin like one")
	}
	if v := uint8(word); v != FormatVersion {
		return m, 0, otherVersion(v)
	}
	pageBytes = int64(treeOf(head[headerBytes+freeAt:]).xsize)
	if pageBytes < 256 || pageBytes > 64<<10 || pageBytes&(pageBytes-1) != 0 {
		return m, 0, fmt.Errorf("pages of %d bytes", pageBytes)
	}
	found := false
	for i := range int64(metaPages) {
		if err := readWhole(f, head[:], i*pageBytes); err != nil {
			return m, 0, err
		}
		b := head[headerBytes:]
		transaction := binary.LittleEndian.Uint64(b[transactionAt:])
		written := binary.LittleEndian.Uint64(b) == word && transaction == binary.LittleEndian.Uint64(b[againAt:])
		if !written || found && transaction <= m.transaction {
			continue
		}
		found = true
		page := func(n int) int64 { return int64(binary.LittleEndian.Uint32(b[geometryAt+4*n:])) }
		m = meta{transaction: transaction, now: page(3), used: page(4), free: treeOf(b[freeAt:]), main: treeOf(b[mainAt:])}
	}
	if !found {
		return m, 0, errors.New("none of its states is completely written")
	}
	return m, pageBytes, nil
}
