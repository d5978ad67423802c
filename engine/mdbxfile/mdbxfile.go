// Package mdbxfile reads what an MDBX database says of itself from its pages, as it lies on disk: its
// tables, their B+trees and the free pages. The library would lock the database and write its name into
// a list of readers; this package only reads, also while a client has the database open.
package mdbxfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"getio/system/filesystem"
)

// Name is the name of the data file, and LockName of the one that its processes lock.
const (
	Name     = "mdbx.dat"
	LockName = "mdbx.lck"
)

// Database is the state of a database after its newest transaction.
type Database struct {
	PageBytes   int64
	Transaction uint64
	FileBytes   int64  // as the database says
	UsedPages   int64  // up to the last one in use
	FreePages   int64  // of those, on the list of free ones
	Free        Tree   // lists the free pages
	Main        Tree   // lists the tables
	MainEntries uint64 // of the main tree itself
	Tables      []Table
}

// UsedBytes is the size of the pages in use, without free ones.
func (d *Database) UsedBytes() int64 { return (d.UsedPages - d.FreePages) * d.PageBytes }

// UncountedPages are pages in use that belong to no tree: none in a sound database.
func (d *Database) UncountedPages() int64 {
	counted := metaPages + d.FreePages + d.Free.Pages() + d.Main.Pages()
	for _, t := range d.Tables {
		counted += t.Pages()
	}
	return d.UsedPages - counted
}

// Pages returns the pages of the tree.
func (t Tree) Pages() int64 { return t.BranchPages + t.LeafPages + t.LargePages }

// Printable returns a name, in quotes with its bytes escaped if a terminal would not show it as it is.
func Printable(name string) string {
	if quoted := strconv.QuoteToASCII(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Table is a named tree.
type Table struct {
	Name string
	Tree
}

// tries is how often a database is read that changes meanwhile. Reading takes milliseconds, and
// clients commit every few seconds at most.
const tries = 20

// Read reads the database in dir. Its error says what is wrong with it, and what to do.
func Read(dir string) (*Database, error) {
	path := filepath.Join(dir, Name)
	f, err := filesystem.OpenRegular(path)
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("this user may not read %s: run getio as root or as the user of the client, or work on a copy", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	defer f.Close()
	for range tries {
		d, changed, err := read(f)
		switch other, ok := errors.AsType[otherVersion](err); {
		case ok:
			return nil, fmt.Errorf("%s is MDBX, written by another version (%w, and this getio reads format %d): use a getio made for it", path, other, FormatVersion)
		case changed:
			continue
		case err != nil:
			return nil, fmt.Errorf("%s cannot be read as an MDBX database (%w): if it is damaged, restore it from a copy", path, err)
		}
		return d, nil
	}
	return nil, fmt.Errorf("%s changed each of %d times while it was read: stop its client, or work on a copy", path, tries)
}

// read reads a database, and reports whether a transaction ended meanwhile, which may have reused pages.
func read(f io.ReaderAt) (d *Database, changed bool, err error) {
	m, pageBytes, err := newest(f)
	if err != nil {
		return nil, false, err
	}
	d = &Database{
		PageBytes: pageBytes, Transaction: m.transaction, FileBytes: m.now * pageBytes,
		UsedPages: m.used, Free: m.free, Main: m.main,
	}
	err = d.readTrees(&file{f, pageBytes, m.used})
	again, _, e := newest(f)
	return d, e != nil || again.transaction != m.transaction, err
}

// readTrees lists the tables and counts the free pages.
func (d *Database) readTrees(f *file) error {
	err := f.leaves(d.Main, func(n node) error {
		if n.flags&treeNode == 0 {
			d.MainEntries++
			return nil
		}
		t, err := n.tree()
		d.Tables = append(d.Tables, Table{Name: strings.TrimRight(string(n.key), "\x00"), Tree: t})
		return err
	})
	if err != nil {
		return err
	}
	return f.leaves(d.Free, func(n node) error {
		data := n.data
		if n.flags&bigNode != 0 {
			p, err := f.page(binary.LittleEndian.Uint32(data), largePage)
			if err != nil {
				return err
			}
			data = p[headerBytes:]
		}
		if len(data) < 4 {
			return errCut
		}
		d.FreePages += int64(binary.LittleEndian.Uint32(data)) // the length of a list
		return nil
	})
}
