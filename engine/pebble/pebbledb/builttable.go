package pebbledb

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"getio/engine"
	"getio/engine/lsm"
)

// FirstTable is the lowest file number that an installed table may have. The libraries
// use a few numbers themselves for a new database: MANIFEST, log, OPTIONS and the files
// that a format upgrade adds.
const FirstTable = 16

// maxSeq is the largest sequence number of a record in a table. The next bit marks
// records that are still in a batch (Pebble: internal/base/internal.go).
const maxSeq = 1<<55 - 1

// TablePath returns the path of a table file.
func TablePath(dir string, file uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%06d.sst", file))
}

// CheckTables returns the tables in the libraries' order: by level, within L0 by age,
// within other levels by key. It returns an error if the tables cannot form a tree, or
// if a file is missing from dir or has another size.
func CheckTables(dir string, tables []engine.BuiltTable) ([]engine.BuiltTable, error) {
	sorted := slices.Clone(tables)
	slices.SortFunc(sorted, compareTables)
	numbers := make(map[uint64]bool, len(sorted))
	for i, t := range sorted {
		if err := checkTable(dir, t); err != nil {
			return nil, err
		}
		if numbers[t.File] {
			return nil, fmt.Errorf("two tables of %s have file number %d: give each table its own number", dir, t.File)
		}
		numbers[t.File] = true
		if i == 0 || t.Level == 0 || sorted[i-1].Level != t.Level {
			continue
		}
		if below := sorted[i-1]; bytes.Compare(below.Largest.Key, t.Smallest.Key) >= 0 {
			return nil, fmt.Errorf("tables %d (up to key %x) and %d (from key %x) of %s overlap in L%d: only tables of L0 may share keys",
				below.File, below.Largest.Key, t.File, t.Smallest.Key, dir, t.Level)
		}
	}
	return sorted, nil
}

func compareTables(a, b engine.BuiltTable) int {
	if c := cmp.Compare(a.Level, b.Level); c != 0 {
		return c
	}
	bySeq := cmp.Or(cmp.Compare(a.LargestSeq, b.LargestSeq), cmp.Compare(a.SmallestSeq, b.SmallestSeq))
	if a.Level == 0 && bySeq != 0 {
		return bySeq
	}
	return cmp.Or(compareKeys(a.Smallest, b.Smallest), cmp.Compare(a.File, b.File))
}

// compareKeys orders records by key, newest first within a key.
func compareKeys(a, b engine.BuiltKey) int {
	return cmp.Or(bytes.Compare(a.Key, b.Key), cmp.Compare(b.Seq, a.Seq))
}

// checkLevel returns an error unless the level exists.
func checkLevel(path string, level int) error {
	if level < 0 || level >= lsm.NumLevels {
		return fmt.Errorf("%s has invalid level L%d: use L0 to L%d", path, level, lsm.NumLevels-1)
	}
	return nil
}

func checkTable(dir string, t engine.BuiltTable) error {
	path := TablePath(dir, t.File)
	if err := checkLevel(path, t.Level); err != nil {
		return err
	}
	switch {
	case t.File < FirstTable:
		return fmt.Errorf("the file number of %s is reserved for the library: number tables from %d on", path, uint64(FirstTable))
	case compareKeys(t.Smallest, t.Largest) > 0:
		return fmt.Errorf("the smallest key of %s, %x #%d, is above its largest, %x #%d: pass the table's own bounds",
			path, t.Smallest.Key, t.Smallest.Seq, t.Largest.Key, t.Largest.Seq)
	case t.LargestSeq > maxSeq:
		return fmt.Errorf("%s has sequence number %d, and the largest possible is %d: use smaller ones", path, t.LargestSeq, uint64(maxSeq))
	}
	for _, seq := range []uint64{t.Smallest.Seq, t.Largest.Seq} {
		if seq < t.SmallestSeq || seq > t.LargestSeq {
			return fmt.Errorf("%s has a bound with sequence number %d, outside its range %d to %d: pass the table's own bounds",
				path, seq, t.SmallestSeq, t.LargestSeq)
		}
	}
	return checkTableFile(path, t.Size)
}

func checkTableFile(path string, size int64) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: write all tables before installing them (%w)", path, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("cannot stat %s: %w", path, err)
	case !fi.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: move it away and write the table there", path)
	case fi.Size() != size:
		return fmt.Errorf("%s has %d bytes instead of %d: write the table again", path, fi.Size(), size)
	}
	return nil
}

// Tags of the fields of a version edit, in an encoding that both libraries write and read
// (Pebble: internal/manifest/version_edit.go).
const (
	tagNextFileNumber = 3
	tagLastSequence   = 4
	tagNewFile2       = 100
)

// kindSet is the kind of a record that sets a key (Pebble:
// internal/base/internal.go).
const kindSet = 1

// Trailer returns the trailer of a key in tables and bounds: sequence number and kind.
func Trailer(seq uint64) uint64 { return seq<<8 | kindSet }

// VersionEdit encodes the MANIFEST record that adds the tables to an empty tree. The next
// file number and the last sequence number follow from the tables. The record has no
// creation times, which neither library reads, so that equal trees have equal MANIFESTs.
func VersionEdit(tables []engine.BuiltTable) []byte {
	next, last := uint64(FirstTable), uint64(0)
	for _, t := range tables {
		next, last = max(next, t.File+1), max(last, t.LargestSeq)
	}
	edit := appendUvarints(nil, tagNextFileNumber, next, tagLastSequence, last)
	for _, t := range tables {
		edit = slices.Grow(edit, 64+len(t.Smallest.Key)+len(t.Largest.Key))
		edit = appendUvarints(edit, tagNewFile2, uint64(t.Level), t.File, uint64(t.Size))
		edit = appendKey(edit, t.Smallest)
		edit = appendKey(edit, t.Largest)
		edit = appendUvarints(edit, t.SmallestSeq, t.LargestSeq)
	}
	return edit
}

func appendUvarints(dst []byte, values ...uint64) []byte {
	for _, v := range values {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

func appendKey(dst []byte, k engine.BuiltKey) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(k.Key)+8))
	dst = append(dst, k.Key...)
	return binary.LittleEndian.AppendUint64(dst, Trailer(k.Seq))
}
