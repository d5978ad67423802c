package rocksdb

import (
	"errors"

	"getio/engine/lsm"
	"getio/engine/ondisk"
)

// manifest is what a MANIFEST says of a database.
type manifest struct {
	comparators map[string]string // by column family
	levels      int               // a reader needs at least so many, for tables that are gone too
	files       map[uint64]placed // the tables, by number
	own         bool              // it has edits that only RocksDB writes
}

// placed is where a table is.
type placed struct {
	family string
	level  int
	path   uint64 // 0 for the first of the directories
}

// Fields of a version edit, each after its tag. (RocksDB:
// db/version_edit.h, enum Tag; db/version_edit.cc, DecodeFrom)
const (
	editComparator       = 1
	editLogNumber        = 2
	editNextFile         = 3
	editLastSequence     = 4
	editCompactCursor    = 5
	editDeletedFile      = 6
	editNewFile          = 7
	editPrevLogNumber    = 9
	editMinLogNumber     = 10
	editNewFile2         = 100 // with sequence numbers
	editNewFile3         = 102 // and the directory
	editNewFile4         = 103 // with fields of its own instead
	editFamily           = 200 // which the edit is of; the default one has number 0
	editFamilyAdd        = 201
	editFamilyDrop       = 202
	editMaxFamily        = 203
	editAtomicGroup      = 300
	editBlobFile         = 400
	editBlobGarbage      = 401
	editIgnorable        = 1 << 13 // a text follows, except after the next four
	editOldBlobFile      = editIgnorable + 2
	editOldBlobGarbage   = editIgnorable + 3
	editOldWAL           = editIgnorable + 4
	editOldWALDeletion   = editIgnorable + 5
	newFileEnd           = 1 // of the fields of editNewFile4
	newFilePath          = 65
	walEnd, blobFieldEnd = 1, 0
)

// mostLevels is more than any tree has. The library takes memory for each level.
const mostLevels = 1 << 10

var errEdit = errors.New("it has an edit that getio does not know, or that is damaged")

// readManifest reads a MANIFEST.
func readManifest(path string) (*manifest, error) {
	m := &manifest{comparators: map[string]string{}, levels: lsm.NumLevels, files: map[uint64]placed{}}
	names := map[uint64]string{0: "default"}
	_, err := ondisk.EachRecord(path, func(record []byte) error {
		e := edit{Fields: ondisk.Fields{Rest: record}, manifest: m}
		if err := e.decode(); err != nil {
			return err
		}
		if e.name != "" {
			names[e.family] = e.name
		}
		name := names[e.family]
		if e.drop {
			delete(m.comparators, name)
		}
		if e.comparator != "" {
			m.comparators[name] = e.comparator
		}
		for _, n := range e.deleted {
			delete(m.files, n)
		}
		for n, p := range e.added {
			p.family = name
			m.files[n] = p
		}
		return nil
	})
	return m, err
}

// edit is a version edit that is decoded.
type edit struct {
	ondisk.Fields
	*manifest

	family           uint64
	name, comparator string
	drop             bool
	deleted          []uint64
	added            map[uint64]placed
}

func (e *edit) decode() error {
	e.added = map[uint64]placed{}
	for len(e.Rest) > 0 && e.Err == nil {
		tag := e.Number()
		e.own = e.own || tag == editMinLogNumber || tag >= editFamily
		switch tag {
		case editComparator:
			e.comparator = string(e.Bytes())
		case editLogNumber, editNextFile, editLastSequence, editPrevLogNumber, editMinLogNumber, editMaxFamily, editAtomicGroup, editOldWALDeletion:
			e.Number()
		case editCompactCursor:
			e.Number()
			e.Bytes()
		case editDeletedFile:
			e.Number()
			e.deleted = append(e.deleted, e.Number())
		case editNewFile, editNewFile2, editNewFile3, editNewFile4:
			e.newFile(tag)
		case editFamily:
			e.family = e.Number()
		case editFamilyAdd:
			e.name = string(e.Bytes())
		case editFamilyDrop:
			e.drop = true
		case editBlobFile, editOldBlobFile:
			e.numbers(3)
			e.Bytes()
			e.Bytes()
			e.fields(blobFieldEnd, nil)
		case editBlobGarbage, editOldBlobGarbage:
			e.numbers(3)
			e.fields(blobFieldEnd, nil)
		case editOldWAL:
			e.Number()
			for field := e.Number(); field != walEnd && e.Err == nil; field = e.Number() {
				e.Number()
			}
		default:
			if tag&editIgnorable == 0 {
				e.Fail(errEdit)
			}
			e.Bytes()
		}
	}
	return e.Err
}

func (e *edit) newFile(tag uint64) {
	var p placed
	p.level = int(e.Number())
	n := e.Number()
	if tag == editNewFile3 {
		p.path = e.Number()
	}
	e.Number() // size
	e.Bytes()  // smallest and largest keys
	e.Bytes()
	if tag != editNewFile {
		e.numbers(2)
	}
	if tag == editNewFile4 {
		e.fields(newFileEnd, func(field uint64, value []byte) {
			if field == newFilePath && len(value) > 0 {
				p.path = uint64(value[0])
			}
		})
	}
	if p.level < 0 || p.level >= mostLevels {
		e.Fail(errEdit)
		return
	}
	e.levels = max(e.levels, p.level+1)
	e.added[n] = p
}

// fields reads numbered texts up to a number.
func (e *edit) fields(end uint64, each func(field uint64, value []byte)) {
	for field := e.Number(); field != end && e.Err == nil; field = e.Number() {
		value := e.Bytes()
		if each != nil {
			each(field, value)
		}
	}
}

func (e *edit) numbers(count int) {
	for range count {
		e.Number()
	}
}
