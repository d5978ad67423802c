package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"getio/client/chaindata"
	"getio/engine/ondisk"
	"getio/engine/region"
	"getio/record"
	"getio/watch/probe"
)

// table identifies a table file and its contents. A number is not enough: a database that is deleted and created again in
// its directory begins anew with them, and its file system may use inodes again. The time of the last change of the contents does
// not change when a file is linked or deleted, as that of the last change of the inode does.
type table struct {
	number uint64
	probe.FileVersion
}

// tables are those of a database, with their region maps. A table may be gone when a read of it is
// seen, so the maps of new ones are read before.
type tables struct {
	process   *process
	dir       string // of the database, from here
	extension string
	maps      *region.Live // numbered as they were read
	loaded    uint64       // of maps
	known     map[table]*region.Map
	// versions are those of the tables by number, and reused are the numbers that several had.
	versions map[uint64]probe.FileVersion
	reused   map[uint64]bool
	listed   time.Time // when the directory had changed last, as far as its tables are known
	// unfinished are the tables that are being written and have no map yet. They are held open: a
	// table can be finished, read and deleted between two looks.
	unfinished map[uint64]*os.File
}

func newTables(p *process, dir string, l *library) *tables {
	return &tables{
		process: p, dir: dir, extension: l.extension, maps: l.maps(), known: map[table]*region.Map{},
		versions: map[uint64]probe.FileVersion{}, reused: map[uint64]bool{}, unfinished: map[uint64]*os.File{},
	}
}

func (t *tables) none() bool {
	found, _ := filepath.Glob(filepath.Join(t.dir, "*"+t.extension))
	return len(found) == 0
}

// settled is how old a directory's time must be before an equal one means that nothing was added:
// the kernel's clock for files has steps of several milliseconds.
const settled = 50 * time.Millisecond

// find looks for new tables and reads their maps.
func (t *tables) find() {
	t.finish()
	fi, err := os.Stat(t.dir)
	if err != nil || fi.ModTime().Equal(t.listed) {
		return // if it is gone, so are its reads
	}
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return
	}
	if time.Since(fi.ModTime()) > settled {
		t.listed = fi.ModTime()
	}
	for _, e := range entries {
		number, ok := ondisk.TableNumber(e.Name())
		if !ok || t.unfinished[number] != nil || t.known[table{number, t.versions[number]}] != nil {
			continue
		}
		path := filepath.Join(t.dir, e.Name())
		if t.load(number, path, nil) != nil {
			continue
		}
		if f, err := os.Open(path); err == nil {
			t.unfinished[number] = f
		}
	}
}

// finish reads the maps of tables that have been finished since. One that was deleted is let go:
// nobody will finish it.
func (t *tables) finish() {
	for number, f := range t.unfinished {
		fi, err := f.Stat() // before the map is read: what is deleted is not written to any more
		gone := err != nil || fi.Sys().(*syscall.Stat_t).Nlink == 0
		if t.load(number, held(f), nil) != nil || gone {
			f.Close()
			delete(t.unfinished, number)
		}
	}
}

// held returns a path that opens a file that is held open.
func held(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// load returns the map of the table at a path; nil if it is none, is not finished, or is not the wanted one, if one is.
func (t *tables) load(number uint64, path string, wanted *table) *region.Map {
	before, err := versionOf(path)
	id := table{number, before}
	if err != nil || wanted != nil && id != *wanted {
		return nil
	}
	if m := t.known[id]; m != nil {
		return m
	}
	t.loaded++
	m, err := t.maps.Regions(t.loaded, path)
	if err != nil {
		return nil
	}
	if after, err := versionOf(path); err != nil || after != before {
		return nil
	}
	t.known[id] = m
	t.note(id)
	return m
}

func (t *tables) note(id table) {
	version, ok := t.versions[id.number]
	t.reused[id.number] = t.reused[id.number] || ok && version != id.FileVersion
	t.versions[id.number] = id.FileVersion
}

// numbered returns the map of the table with a number; nil if it cannot be had any more, or several had the number.
func (t *tables) numbered(number uint64) *region.Map {
	if t.reused[number] {
		return nil
	}
	if m := t.known[table{number, t.versions[number]}]; m != nil {
		return m
	}
	if m := t.load(number, filepath.Join(t.dir, fmt.Sprintf("%06d%s", number, t.extension)), nil); m != nil {
		return m
	}
	if f := t.unfinished[number]; f != nil {
		return t.load(number, held(f), nil)
	}
	return nil
}

// read returns the map of the table that a read was from; nil if it cannot be had any more.
func (t *tables) read(r *probe.Read, number uint64) *region.Map {
	id := table{number, r.FileVersion}
	if m := t.known[id]; m != nil {
		return m
	}
	t.note(id)
	// A table that was deleted can be read as long as the process has it open.
	places := []string{filepath.Join(t.dir, r.Name), t.process.fd(r.FD)}
	if f := t.unfinished[number]; f != nil {
		places = append(places, held(f))
	}
	for _, path := range places {
		if m := t.load(number, path, &id); m != nil {
			return m
		}
	}
	return nil
}

func (t *tables) close() {
	for _, f := range t.unfinished {
		f.Close()
	}
	clear(t.unfinished)
}

// logFile matches the write-ahead logs of the libraries: 000123.log, of Pebble v2 also 000123-001.log.
var logFile = regexp.MustCompile(`^[0-9]{6,}(-[0-9]+)?\.log$`)

// kindOf says what a file is for that is no table.
func kindOf(name string) record.FileKind {
	switch {
	case chaindata.InFreezer(name):
		return record.FileFreezer
	case logFile.MatchString(name):
		return record.FileLog
	}
	return record.FileOther
}

func isTable(name string) bool {
	_, ok := ondisk.TableNumber(name)
	return ok
}
