package chaindata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"getio/system/filesystem"
)

// Table is a table of the freezer: an append-only list of items in files beside the
// key-value store.
type Table struct {
	Freezer string // chain or state; empty before geth 1.10.24, which had only one freezer
	Name    string
	// Items counts all items ever written; the first Removed of them are gone.
	Items, Removed int64
	Bytes          int64 // of its files, including the index
}

// tableFiles are the files of a table.
type tableFiles struct {
	Table
	file uint16 // of the last item
	end  uint32 // of the last item in it
}

// Freezers lists the tables below dir, by freezer and name. The list is empty if dir does
// not exist.
func Freezers(dir string) (tables []Table, err error) {
	for _, freezer := range []string{"", "chain", "state"} {
		list, err := freezerIn(filepath.Join(dir, freezer), freezer)
		if err != nil {
			return nil, err
		}
		tables = append(tables, list...)
	}
	return tables, nil
}

// IsFreezer reports whether dir holds tables of freezers.
func IsFreezer(dir string) bool {
	tables, err := Freezers(dir)
	return err == nil && len(tables) > 0
}

// tableFile matches index and data files, raw or compressed with Snappy (freezer_table.go,
// newTable and openFile).
var tableFile = regexp.MustCompile(`^(.+?)(\.[0-9]{4,})?\.([cr])(idx|dat)$`)

// InFreezer reports whether a file of this name belongs to a table of a freezer.
func InFreezer(name string) bool {
	return tableFile.MatchString(name) || strings.HasSuffix(name, ".meta")
}

func freezerIn(dir, freezer string) ([]Table, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the freezer in %s: %w", dir, err)
	}
	byName := map[string]*tableFiles{}
	for _, e := range entries {
		parts := tableFile.FindStringSubmatch(e.Name())
		if parts == nil || e.IsDir() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("cannot read the size of the freezer file %s: %w", filepath.Join(dir, e.Name()), err)
		}
		t := byName[parts[1]]
		if t == nil {
			t = &tableFiles{Table: Table{Freezer: freezer, Name: parts[1]}}
			byName[t.Name] = t
		}
		t.Bytes += info.Size()
		if parts[4] == "idx" {
			if err := t.readIndex(filepath.Join(dir, e.Name()), info.Size()); err != nil {
				return nil, err
			}
		}
	}
	var tables []Table
	for _, t := range byName {
		if err := t.verify(dir); err != nil {
			return nil, err
		}
		tables = append(tables, t.Table)
	}
	slices.SortFunc(tables, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	return tables, nil
}

// IndexEntry is the size of an index entry: data file number (2 bytes) and offset (4 bytes).
// The offset of the first entry is the number of removed items; each further entry is the
// end of an item. (freezer_table.go, indexEntry and repair)
const IndexEntry = 6

// ParseIndexEntry returns the data file of an item, and where the item ends in it.
func ParseIndexEntry(b []byte) (file uint16, end uint32) {
	return binary.BigEndian.Uint16(b), binary.BigEndian.Uint32(b[2:])
}

func (t *tableFiles) readIndex(path string, size int64) error {
	f, err := filesystem.OpenRegular(path)
	if err != nil {
		return fmt.Errorf("cannot open the freezer index: %w", err)
	}
	defer f.Close()
	if size == 0 {
		return nil // the first entry is not written yet
	}
	var first [IndexEntry]byte
	if _, err := f.ReadAt(first[:], 0); err != nil {
		return fmt.Errorf("the freezer index %s has no complete entry (%d bytes): the freezer is damaged, restore it from a copy", path, size)
	}
	t.Removed = int64(binary.BigEndian.Uint32(first[2:]))
	t.Items = t.Removed + size/IndexEntry - 1
	var last [IndexEntry]byte
	if _, err := f.ReadAt(last[:], (size/IndexEntry-1)*IndexEntry); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it ends early")
		}
		return fmt.Errorf("the freezer index %s cannot be read (%w): restore it from a copy", path, err)
	}
	t.file, t.end = ParseIndexEntry(last[:])
	return nil
}

// verify checks that the data file is at least as long as the index says. geth writes an item before its
// index entry, so the size is read after the index.
func (t *tableFiles) verify(dir string) error {
	if t.Items == t.Removed || t.end == 0 {
		return nil
	}
	path := filepath.Join(dir, fmt.Sprintf("%s.%04d.", t.Name, t.file))
	fi, err := os.Stat(path + "cdat")
	if errors.Is(err, fs.ErrNotExist) {
		fi, err = os.Stat(path + "rdat")
	}
	if err != nil {
		return fmt.Errorf("data file %d of table %s in the freezer in %s cannot be read (%w): restore it from a copy", t.file, t.Name, dir, err)
	}
	if fi.Size() < int64(t.end) {
		return fmt.Errorf("the freezer file %s has %d bytes, but its index says at least %d: start its client once, which mends what a crash has left, or restore it from a copy", filepath.Join(dir, fi.Name()), fi.Size(), t.end)
	}
	return nil
}
