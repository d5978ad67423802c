package chain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/golang/snappy"
	"golang.org/x/sys/unix"

	"getio/client/chaindata"
	"getio/system/filesystem"
)

// freezer is the immutable part of a chain, in files beside the key-value store, opened for
// reading. go-ethereum's own reader creates missing files (core/rawdb/freezer.go,
// NewFreezer), so it cannot be used on other people's databases.
type freezer struct {
	lock   *os.File // nil if there is no lock file
	tables map[string]*frozenTable
	reads  int64 // of their files
}

// frozenTable is a list of items: an index file of end offsets, and data files.
type frozenTable struct {
	dir, name  string
	compressed bool
	index      *os.File
	data       map[uint16]*os.File
	removed    uint64 // leading items that are no longer in any file
	tail       uint64 // leading items that are removed or hidden
	items      uint64 // ever written
}

// openFreezer opens the chain freezer below dir, which has no tables where the chain lacks one. A freezer
// in use is read without a lock and as it is now: appended items are ignored, and existing
// items never change.
func openFreezer(dir string, inUse bool) (*freezer, error) {
	tables, err := chaindata.Freezers(dir)
	if err != nil {
		return nil, err
	}
	f := &freezer{tables: map[string]*frozenTable{}}
	for _, t := range tables {
		if t.Freezer != "chain" && t.Freezer != "" {
			continue
		}
		at := filepath.Join(dir, t.Freezer)
		if err := f.open(at, t, inUse); err != nil {
			f.Close()
			return nil, fmt.Errorf("the freezer in %s cannot be read: %w", at, err)
		}
	}
	return f, nil
}

func (f *freezer) open(dir string, t chaindata.Table, inUse bool) error {
	if f.lock == nil && !inUse {
		if err := f.share(filepath.Join(dir, "FLOCK")); err != nil {
			return err
		}
	}
	table := &frozenTable{dir: dir, name: t.Name, data: map[uint16]*os.File{}, removed: uint64(t.Removed), tail: uint64(t.Removed), items: uint64(t.Items)}
	var err error
	if table.index, err = filesystem.OpenRegular(filepath.Join(dir, t.Name+".ridx")); errors.Is(err, fs.ErrNotExist) {
		table.compressed = true
		table.index, err = filesystem.OpenRegular(filepath.Join(dir, t.Name+".cidx"))
	}
	if err != nil {
		return err
	}
	f.tables[t.Name] = table
	return table.readTail()
}

// share takes a shared lock on the freezer, as its other readers do.
func (f *freezer) share(path string) error {
	lock, err := filesystem.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		lock.Close()
		return errors.New("another process has it open for writing: stop that process, or work on a copy")
	}
	f.lock = lock
	return nil
}

// readTail reads the number of hidden items from the table's metadata, an RLP list of
// version, tail and more (freezer_meta.go).
func (t *frozenTable) readTail() error {
	text, err := filesystem.ReadRegular(filepath.Join(t.dir, t.name+".meta"), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // written before there was metadata
	}
	if err != nil || len(text) == 0 {
		return err // empty: not written yet
	}
	var meta struct {
		Version, Tail uint64
		Rest          []rlp.RawValue `rlp:"tail"`
	}
	if err := rlp.NewStream(bytes.NewReader(text), 0).Decode(&meta); err != nil {
		return fmt.Errorf("the metadata of table %s is damaged: %w", t.name, err)
	}
	t.tail = max(t.tail, meta.Tail)
	return nil
}

var errNotFrozen = errors.New("not in the freezer")

// item reads one item and its index entry.
func (f *freezer) item(table string, n uint64) ([]byte, error) {
	t := f.tables[table]
	if t == nil || n < t.tail || n >= t.items {
		return nil, errNotFrozen
	}
	item, err := f.read(t, n)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("item %d of %s in the freezer %s is cut short: the freezer is damaged, restore it from a copy", n, t.name, t.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("item %d of %s in the freezer %s cannot be read: %w", n, t.name, t.dir, err)
	}
	return item, nil
}

func (f *freezer) read(t *frozenTable, n uint64) ([]byte, error) {
	var ends [2 * chaindata.IndexEntry]byte // of the previous item and of this one
	f.reads++
	if _, err := t.index.ReadAt(ends[:], int64(n-t.removed)*chaindata.IndexEntry); err != nil {
		return nil, err
	}
	file, end := chaindata.ParseIndexEntry(ends[chaindata.IndexEntry:])
	before, start := chaindata.ParseIndexEntry(ends[:])
	if before != file || n == t.removed { // the first entry holds the number of removed items
		start = 0
	}
	if end < start {
		return nil, errors.New("it ends before it begins")
	}
	data, err := t.file(file)
	if err != nil {
		return nil, err
	}
	if fi, err := data.Stat(); err != nil {
		return nil, err
	} else if int64(end) > fi.Size() {
		return nil, io.EOF
	}
	item := make([]byte, end-start)
	f.reads++
	if _, err := data.ReadAt(item, int64(start)); err != nil || !t.compressed {
		return item, err
	}
	if n, err := snappy.DecodedLen(item); err != nil || n > mostExpansion*len(item) {
		return nil, snappy.ErrCorrupt
	}
	return snappy.Decode(nil, item)
}

// mostExpansion bounds how many times longer than its compressed form an item can be: in the
// format of Snappy, 3 bytes copy 64 at most.
const mostExpansion = 22

// file returns a data file, which is opened once.
func (t *frozenTable) file(n uint16) (*os.File, error) {
	if f := t.data[n]; f != nil {
		return f, nil
	}
	kind := "rdat"
	if t.compressed {
		kind = "cdat"
	}
	f, err := filesystem.OpenRegular(filepath.Join(t.dir, fmt.Sprintf("%s.%04d.%s", t.name, n, kind)))
	if err != nil {
		return nil, err
	}
	t.data[n] = f
	return f, nil
}

// blocks is the number of frozen blocks, including removed ones.
func (f *freezer) blocks() uint64 {
	if t := f.tables[rawdb.ChainFreezerHashTable]; t != nil {
		return t.items
	}
	return 0
}

// tail is the first block whose body and receipts exist.
func (f *freezer) tail() uint64 {
	if t := f.tables[rawdb.ChainFreezerBodiesTable]; t != nil {
		return t.tail
	}
	return 0
}

func (f *freezer) Close() error {
	var err error
	for _, t := range f.tables {
		for _, data := range t.data {
			err = errors.Join(err, data.Close())
		}
		if t.index != nil {
			err = errors.Join(err, t.index.Close())
		}
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}
