package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"getio/engine/region"
	"getio/outside/probe"
)

// tables are those of a database, with their region maps. A table may be gone when a read of it is
// seen, so the maps of new ones are read before.
type tables struct {
	process   *process
	dir       string // of the database, as the process names it
	extension string
	maps      *region.Live
	listed    time.Time // when the directory had changed last, as far as its tables are known
	// unfinished are the tables that are being written and have no map yet. They are held open: a
	// table can be finished, read and deleted between two looks.
	unfinished map[uint64]*os.File
}

func newTables(p *process, dir string, l *library) *tables {
	t := &tables{process: p, dir: dir, extension: ".ldb", maps: l.maps(), unfinished: map[uint64]*os.File{}}
	if l.options {
		t.extension = ".sst"
	}
	return t
}

// none reports whether the database has no table.
func (t *tables) none() bool {
	found, _ := filepath.Glob(filepath.Join(t.process.outside(t.dir), "*"+t.extension))
	return len(found) == 0
}

// settled is how old a directory's time must be before an equal one means that nothing was added:
// the kernel's clock for files has steps of several milliseconds.
const settled = 50 * time.Millisecond

// find looks for new tables and reads their maps.
func (t *tables) find() {
	t.finish()
	dir := t.process.outside(t.dir)
	fi, err := os.Stat(dir)
	if err != nil || fi.ModTime().Equal(t.listed) {
		return // if it is gone, so are its reads
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	if time.Since(fi.ModTime()) > settled {
		t.listed = fi.ModTime()
	}
	for _, e := range entries {
		number, ok := tableNumber(e.Name())
		if !ok || t.unfinished[number] != nil {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if _, err := t.maps.Regions(number, path); err == nil {
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
		if t.held(number) != nil || gone {
			f.Close()
			delete(t.unfinished, number)
		}
	}
}

// held returns the map of a table that is held open; nil if it has none yet.
func (t *tables) held(number uint64) *region.Map {
	f := t.unfinished[number]
	if f == nil {
		return nil
	}
	m, err := t.maps.Regions(number, fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return nil
	}
	return m
}

// numbered returns the map of the table with a number; nil if it cannot be had any more.
func (t *tables) numbered(number uint64) *region.Map {
	return t.named(number, fmt.Sprintf("%06d%s", number, t.extension))
}

func (t *tables) named(number uint64, name string) *region.Map {
	m, err := t.maps.Regions(number, filepath.Join(t.process.outside(t.dir), name))
	if err != nil {
		return t.held(number)
	}
	return m
}

// read returns the map of the table that a read was from; nil if it cannot be had any more.
func (t *tables) read(r *probe.Read, number uint64) *region.Map {
	if m := t.named(number, r.Name); m != nil {
		return m
	}
	// A table that was deleted can be read as long as the process has it open.
	open := t.process.fd(r.FD)
	if link, err := os.Readlink(open); err != nil || filepath.Base(strings.TrimSuffix(link, " (deleted)")) != r.Name {
		return nil
	}
	m, err := t.maps.Regions(number, open)
	if err != nil {
		return nil
	}
	return m
}

func (t *tables) close() {
	for _, f := range t.unfinished {
		f.Close()
	}
	clear(t.unfinished)
}
