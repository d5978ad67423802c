package virtual

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"

	"github.com/golang/snappy"

	"getio/engine/blockformat"
	"getio/workload/dataset"
)

// Table is one table, open for reading. It is safe for concurrent use.
type Table struct {
	tables *Tables
	number int // in the tree
	path   string
	*header
}

// Table opens the table at path with the given file number.
func (t *Tables) Table(path string, file uint64) (*Table, error) {
	number, ok := t.byFile[file]
	if !ok {
		return nil, fmt.Errorf("%s is not a table of the dataset's tree: build the dataset again", path)
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, missing(err)
	}
	h, err := readHeader(fi.Size(), func(p []byte, off int64) error { return t.files.readAt(path, p, off) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Table{tables: t, number: number, path: path, header: h}, nil
}

// Size returns the table's size in bytes.
func (t *Table) Size() int64 { return t.size }

// ReadAt implements io.ReaderAt. Filters of a level whose filters are never consulted read
// as zeros.
func (t *Table) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: negative offset %d: use 0 or more", t.path, off)
	}
	if there := max(t.size-off, 0); int64(len(p)) > there {
		if n, err = t.ReadAt(p[:there], off); err == nil {
			err = io.EOF
		}
		return n, err
	}
	for off+int64(n) < t.dataSize && n < len(p) {
		got, err := t.readData(p[n:], off+int64(n))
		if err != nil {
			return n, fmt.Errorf("%s: cannot generate the data block at %d: %w", t.path, off+int64(n), err)
		}
		n += got
	}
	if n == len(p) {
		return n, nil
	}
	if err := t.tables.files.readAt(t.path, p[n:], off+int64(n)); err != nil {
		return n, fmt.Errorf("%s: %w", t.path, err)
	}
	return len(p), nil
}

// readData copies the rest of the data block that contains off to p, starting at off.
func (t *Table) readData(p []byte, off int64) (int, error) {
	m := t.tables.builders.get()
	defer t.tables.builders.put(m)
	b, err := m.find(t, uint64(off))
	if err != nil {
		return 0, err
	}
	if err := m.make(t, b); err != nil {
		return 0, err
	}
	if uint64(len(m.stored)) != b.end-b.begin {
		return 0, fmt.Errorf("it has %d bytes, but %d in the index: the dataset's files do not belong together, build the dataset again", len(m.stored), b.end-b.begin)
	}
	return copy(p, m.stored[uint64(off)-b.begin:]), nil
}

// dataBlock is a data block's extent in the file, including its trailer, and the bounds of
// its keys: above after (nil for a table's first block) and up to upTo.
type dataBlock struct {
	begin, end  uint64
	after, upTo []byte
}

// find looks up the data block at an offset in the stored index.
func (m *blockBuilder) find(t *Table, off uint64) (b dataBlock, err error) {
	n := sort.Search(len(t.partitions), func(i int) bool { return t.partitions[i].Data > off }) - 1
	entries, err := m.index(t, n)
	if err != nil {
		return b, err
	}
	at := sort.Search(entries.len(), func(i int) bool {
		var begin uint64
		if err == nil {
			_, begin, _, err = entries.at(i)
		}
		return begin > off
	}) - 1
	if at < 0 && err == nil {
		err = errIndex
	}
	if err != nil {
		return b, err
	}
	var size uint64
	if b.upTo, b.begin, size, err = entries.at(at); err != nil {
		return b, err
	}
	b.end = b.begin + size + blockformat.TrailerLen
	switch {
	case off >= b.end:
		return b, errIndex
	case at > 0:
		b.after, _, _, err = entries.at(at - 1)
	case n > 0:
		b.after, err = m.lastBefore(t, n)
	}
	return b, err
}

// lastBefore returns the last key of the partition before partition n.
func (m *blockBuilder) lastBefore(t *Table, n int) ([]byte, error) {
	m.plain, m.kept = m.kept, m.plain // the keys of partition n are in use
	entries, err := m.index(t, n-1)
	if err != nil {
		return nil, err
	}
	key, _, _, err := entries.at(entries.len() - 1)
	m.plain, m.kept = m.kept, m.plain
	return key, err
}

// entries is an index block. Every entry is a restart point.
type entries struct {
	block    []byte
	restarts []byte
}

var errIndex = errors.New("it is not in the index: the file is damaged or belongs to another dataset, build the dataset again")

// index reads partition n of a table's index.
func (m *blockBuilder) index(t *Table, n int) (entries, error) {
	p := t.partitions[n]
	m.packed = slices.Grow(m.packed[:0], int(p.IndexLen)+blockformat.TrailerLen)[:p.IndexLen+blockformat.TrailerLen]
	if err := t.tables.files.readAt(t.path, m.packed, int64(p.Index)); err != nil {
		return entries{}, err
	}
	if !blockformat.Intact(m.packed) {
		return entries{}, errIndex
	}
	b := m.packed[:p.IndexLen]
	if m.packed[p.IndexLen] != 0 {
		var err error
		if m.plain, err = snappy.Decode(m.plain[:cap(m.plain)], b); err != nil {
			return entries{}, errIndex
		}
		b = m.plain
	} else {
		m.plain = append(m.plain[:0], b...)
		b = m.plain
	}
	block, restarts, err := blockformat.Entries(b)
	if err != nil || len(restarts) == 0 {
		return entries{}, errIndex
	}
	return entries{block, restarts}, nil
}

func (e entries) len() int { return len(e.restarts) / blockformat.RestartLen }

// at decodes entry i: its key without trailer, and the offset and size of its block.
func (e entries) at(i int) (key []byte, begin, size uint64, err error) {
	from := int(binary.LittleEndian.Uint32(e.restarts[blockformat.RestartLen*i:]))
	if from+3 > len(e.block) {
		return nil, 0, 0, errIndex
	}
	b := e.block[from:]
	keyLen, valueLen := int(b[1]), int(b[2]) // below 128, so one byte each
	if b[0] != 0 || keyLen < blockformat.KeyTrailerLen || 3+keyLen+valueLen > len(b) {
		return nil, 0, 0, errIndex
	}
	value := b[3+keyLen : 3+keyLen+valueLen]
	h, n := blockformat.DecodeHandle(value)
	if n == 0 {
		return nil, 0, 0, errIndex
	}
	return b[3 : 3+keyLen-blockformat.KeyTrailerLen], h.Off, h.Length, nil
}

// make generates the block in its stored form, in m.stored.
func (m *blockBuilder) make(t *Table, b dataBlock) error {
	tree := t.tables.tree
	from := uint64(0)
	if b.after != nil {
		from = tree.Rank(t.tables.seed, t.number, b.after)
	}
	to := tree.Rank(t.tables.seed, t.number, b.upTo)
	if to <= from || to-from > maxRecords {
		return errIndex
	}
	cursor := tree.Cursor(t.tables.seed, t.number, from)
	m.stored = m.writer.DataBlock(m.stored[:0], t.tables.form, int(to-from), func(key *[dataset.KeySize]byte) (uint64, []byte) {
		index, seq := cursor.Next(key)
		m.value = t.tables.values.Value(index, m.value)
		return seq, m.value
	})
	return nil
}

// maxRecords is above the number of records in any block: records have keys of 32 bytes, of
// which few are shared, and blocks have at most a few MiB.
const maxRecords = 1 << 20

// DataSize returns the offset of the table's tail.
func (t *Table) DataSize() int64 { return t.dataSize }

// IndexStart returns the offset of the first block of the table's index.
func (t *Table) IndexStart() int64 { return int64(t.partitions[0].Index) }
