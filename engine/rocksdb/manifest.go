package rocksdb

import (
	"encoding/binary"
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

// Fields of a version edit, each after its tag. Numbers are varints, texts are prefixed by their length. (RocksDB:
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
		e := edit{rest: record, manifest: m}
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
	rest []byte
	*manifest

	family           uint64
	name, comparator string
	drop             bool
	deleted          []uint64
	added            map[uint64]placed
	failed           bool
}

func (e *edit) decode() error {
	e.added = map[uint64]placed{}
	for len(e.rest) > 0 && !e.failed {
		tag := e.number()
		e.own = e.own || tag == editMinLogNumber || tag >= editFamily
		switch tag {
		case editComparator:
			e.comparator = string(e.text())
		case editLogNumber, editNextFile, editLastSequence, editPrevLogNumber, editMinLogNumber, editMaxFamily, editAtomicGroup, editOldWALDeletion:
			e.number()
		case editCompactCursor:
			e.number()
			e.text()
		case editDeletedFile:
			e.number()
			e.deleted = append(e.deleted, e.number())
		case editNewFile, editNewFile2, editNewFile3, editNewFile4:
			e.newFile(tag)
		case editFamily:
			e.family = e.number()
		case editFamilyAdd:
			e.name = string(e.text())
		case editFamilyDrop:
			e.drop = true
		case editBlobFile, editOldBlobFile:
			e.numbers(3)
			e.text()
			e.text()
			e.fields(blobFieldEnd, nil)
		case editBlobGarbage, editOldBlobGarbage:
			e.numbers(3)
			e.fields(blobFieldEnd, nil)
		case editOldWAL:
			e.number()
			for field := e.number(); field != walEnd && !e.failed; field = e.number() {
				e.number()
			}
		default:
			e.failed = e.failed || tag&editIgnorable == 0
			e.text()
		}
	}
	if e.failed {
		return errEdit
	}
	return nil
}

func (e *edit) newFile(tag uint64) {
	var p placed
	p.level = int(e.number())
	n := e.number()
	if tag == editNewFile3 {
		p.path = e.number()
	}
	e.number() // size
	e.text()   // smallest and largest keys
	e.text()
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
		e.failed = true
		return
	}
	e.levels = max(e.levels, p.level+1)
	e.added[n] = p
}

// fields reads numbered texts up to a number.
func (e *edit) fields(end uint64, each func(field uint64, value []byte)) {
	for field := e.number(); field != end && !e.failed; field = e.number() {
		value := e.text()
		if each != nil {
			each(field, value)
		}
	}
}

func (e *edit) numbers(count int) {
	for range count {
		e.number()
	}
}

func (e *edit) number() uint64 {
	v, n := binary.Uvarint(e.rest)
	if n <= 0 {
		e.failed = true
		return 0
	}
	e.rest = e.rest[n:]
	return v
}

func (e *edit) text() []byte {
	n := e.number()
	if n > uint64(len(e.rest)) {
		e.failed = true
		return nil
	}
	text := e.rest[:n]
	e.rest = e.rest[n:]
	return text
}
