package ldbfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"getio/engine/catalog"
	"getio/engine/failure"
	"getio/engine/ondisk"

	"getio/engine/lsm"
)

// Comparer is the only supported comparer.
const Comparer = "leveldb.BytewiseComparator"

// Manifest is the tree that a MANIFEST describes.
type Manifest struct {
	Comparer string
	// Log is the number of the oldest file of the write-ahead log whose records the
	// tables may lack; PreviousLog is one of before it that counts as well, or 0.
	Log, PreviousLog uint64
	// Tables, by level and number; their paths are left empty.
	Tables []catalog.Ref
}

// ReadManifest reads a MANIFEST, a log of changes to an initially empty tree. It returns an
// error for an incomplete one, which may lack any table.
func ReadManifest(path string) (*Manifest, error) {
	m := newTree()
	torn, err := ondisk.EachRecord(path, m.apply)
	switch {
	case err != nil:
	case torn:
		err = errors.New("its last record is incomplete, as after its writer was killed: open the database once with its client")
	case m.Comparer == "":
		err = errors.New("it does not name a comparer")
	case m.Comparer != Comparer:
		err = failure.Unsupported(fmt.Sprintf("its comparer is %q, and getio only reads databases ordered by %q", m.Comparer, Comparer))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	m.Tables = slices.SortedFunc(maps.Values(m.tables), func(a, b catalog.Ref) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.File, b.File))
	})
	return &m.Manifest, nil
}

// tree is a Manifest under construction.
type tree struct {
	Manifest
	tables map[place]catalog.Ref
}

// place is where in the tree a table is.
type place struct {
	level int
	file  uint64
}

func newTree() *tree { return &tree{tables: map[place]catalog.Ref{}} }

// Tags of the fields of a record (goleveldb: leveldb/session_record.go).
const (
	tagComparer    = 1
	tagLog         = 2
	tagNextFile    = 3
	tagLastSeq     = 4
	tagCompactFrom = 5
	tagDeleted     = 6
	tagAdded       = 7
	tagPreviousLog = 9
)

// apply applies the changes of one record. It removes tables before it adds any, as the
// library does (leveldb/version.go, versionStaging.commit).
func (t *tree) apply(record []byte) error {
	d := &fields{ondisk.Fields{Rest: record}}
	var added []catalog.Ref
	for len(d.Rest) > 0 && d.Err == nil {
		switch tag := d.Number(); tag {
		case tagComparer:
			t.Comparer = string(d.Bytes())
		case tagLog:
			t.Log = d.Number()
		case tagPreviousLog:
			t.PreviousLog = d.Number()
		case tagNextFile, tagLastSeq:
			d.Number()
		case tagCompactFrom:
			d.level()
			d.Bytes()
		case tagDeleted:
			delete(t.tables, place{d.level(), d.Number()})
		case tagAdded:
			added = append(added, d.table())
		default:
			d.Fail(fmt.Errorf("it has a field with tag %d, which LevelDB does not write: Pebble or RocksDB may have written it", tag))
		}
	}
	if d.Err != nil {
		return d.Err
	}
	for _, ref := range added {
		t.tables[place{ref.Level, ref.File}] = ref
	}
	return nil
}

// fields decodes the fields of a record.
type fields struct{ ondisk.Fields }

// level decodes the number of a level. goleveldb has no limit, but with geth's or its own
// defaults, a tree needs a level below L6 only if L6 exceeds 10 TB.
func (d *fields) level() int {
	n := d.Number()
	if n >= lsm.NumLevels {
		d.Fail(fmt.Errorf("it has tables in L%d, but getio supports levels only up to L%d", n, lsm.NumLevels-1))
		return 0
	}
	return int(n)
}

func (d *fields) table() catalog.Ref {
	ref := catalog.Ref{Level: d.level(), File: d.Number(), Size: int64(d.Number()), Smallest: d.bound(), Largest: d.bound()}
	if d.Err == nil && (ref.Size < 0 || bytes.Compare(ref.Smallest, ref.Largest) > 0) {
		d.Fail(fmt.Errorf("its table %d has a negative size or keys out of order", ref.File))
	}
	return ref
}

// bound decodes the first or last key of a table.
func (d *fields) bound() lsm.Key {
	internal := d.Bytes()
	if d.Err != nil {
		return nil
	}
	key, _, err := userKey(internal)
	if err != nil {
		d.Fail(fmt.Errorf("it %w", err))
	}
	return bytes.Clone(key)
}
