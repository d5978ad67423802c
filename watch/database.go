package watch

import (
	"fmt"
	"os"
	"path/filepath"

	"getio/engine/ondisk"
	"getio/engine/pebble/pebbledb"
	"getio/engine/region"
	"getio/numbers/steady"
	"getio/record"
	"getio/watch/probe"
)

// database is a database that the process has open.
type database struct {
	directory
	folder probe.Folder
	likely []*library // that may have it open, at least one, all with the same tables
	tables *tables

	gets   map[uint32]*tally            // by class of the key
	causes map[record.ReadCause]*placed // but not of Gets
	// callers are those of all reads, if they are asked for.
	callers map[purpose]*volume
	// windows are of equal time. last is what there was before the one under way.
	windows []steady.Window
	last    steady.Window
}

// newDatabase returns the database in a directory, if one of the libraries may have it open.
func newDatabase(p *process, dir directory, libraries []*library) (*database, error) {
	d := &database{directory: dir, gets: map[uint32]*tally{}, causes: map[record.ReadCause]*placed{}, callers: map[purpose]*volume{}}
	var err error
	if d.folder, err = folder(d.here); err != nil {
		return nil, err
	}
	writer := d.writer()
	for _, l := range libraries {
		if l.family == writer {
			d.likely = append(d.likely, l)
		}
	}
	if len(d.likely) == 0 {
		return nil, fmt.Errorf("no library of the process is known to write databases as in %s", d.path)
	}
	d.tables = newTables(p, d.here, d.likely[0])
	return d, nil
}

// writer returns the family of the library that writes the files of a directory; empty if it is none that can be watched. Pebble and
// RocksDB say so in their options files, and LevelDB has none.
func (d directory) writer() string {
	found, _ := filepath.Glob(filepath.Join(d.here, "OPTIONS-*"))
	for _, path := range found {
		if written, err := ondisk.Options(path); err == nil && written["Version.pebble_version"] != "" {
			return "Pebble"
		}
	}
	if _, err := os.Stat(filepath.Join(d.here, "IDENTITY")); len(found) > 0 || err == nil { // RocksDB's own
		return ""
	}
	return "goleveldb"
}

// library returns the library that has the database open, if it is known: both versions of Pebble
// in one program are told apart by the first Get that reads.
func (d *database) library() (l *library, known bool) { return d.likely[0], len(d.likely) == 1 }

// memtableShare returns the share of the block cache that memtables take; 0 if it is not known, and for goleveldb,
// whose memtables are not part of its cache.
func (d *database) memtableShare() float64 {
	l, known := d.library()
	if !known || l.version == 0 {
		return 0
	}
	return pebbledb.MemtableShare(d.here, l.version)
}

func (d *database) tally(class uint32) *tally { return entryOf(d.gets, class, newTally) }

func (d *database) addRead(class uint32, r *read) { d.tally(class).add(r, d.mapOf(r)) }

// addOther counts a read that no Get made.
func (d *database) addOther(cause record.ReadCause, r *read) {
	entryOf(d.causes, cause, newPlaced).add(r, d.mapOf(r))
}

// mapOf returns the map of the table that a read was from; nil if it cannot be had.
func (d *database) mapOf(r *read) *region.Map {
	number, _ := ondisk.TableNumber(r.Name)
	return d.tables.read(r.Read, number)
}

// purpose is why and on whose behalf a read was made.
type purpose struct {
	cause record.ReadCause
	caller
}

// mostWindows bounds the number of windows: with as many, they are merged in pairs. Tests reduce it.
var mostWindows = 120

func (d *database) endWindow() {
	var now steady.Window
	for _, t := range d.gets {
		now.Gets += t.gets
		now.Reads += float64(t.Count)
	}
	d.windows = append(d.windows, steady.Window{Gets: now.Gets - d.last.Gets, Reads: now.Reads - d.last.Reads})
	d.last = now
}

// secondHalf returns the Gets of the first half of the windows that have Gets, and the I/Os per Get in the others; nil if
// there are none.
func (d *database) secondHalf() (before int64, after *record.WatchedMeasured) {
	windows := steady.WithGets(d.windows)
	half := len(windows) / 2
	if half == 0 {
		return 0, nil
	}
	var sum steady.Window
	for i, w := range windows {
		if i < half {
			before += w.Gets
			continue
		}
		sum.Gets += w.Gets
		sum.Reads += w.Reads
	}
	after = &record.WatchedMeasured{Gets: sum.Gets, Mean: sum.Reads / float64(sum.Gets)}
	if lo, hi, ok := steady.Confidence(windows[half:]); ok {
		after.CI95 = &[2]float64{lo, hi}
	}
	return before, after
}
