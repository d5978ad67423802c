package probetest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"getio/system/pagecache"
)

const (
	pageBytes   = 4 << 10
	frozenPages = 1 << 10 // of the freezer's file
	advised     = frozenPages / 2
)

// The files that are read beside the tables of a cold program, below the first database.
var (
	frozenFile = filepath.Join("ancient", "chain", "receipts.0000.cdat")
	loggedFile = filepath.Join("ancient", "000999.log")
)

// cool writes the files that are read beside the tables, and takes all files of the first database out of
// the page cache.
func (p *program) cool() error {
	if err := os.MkdirAll(filepath.Join(p.Dirs[0], filepath.Dir(frozenFile)), 0o700); err != nil {
		return err
	}
	for _, name := range []string{frozenFile, loggedFile} {
		if err := os.WriteFile(filepath.Join(p.Dirs[0], name), make([]byte, frozenPages*pageBytes), 0o600); err != nil {
			return err
		}
	}
	return filepath.WalkDir(p.Dirs[0], func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Sync(); err != nil {
			return err
		}
		_, err = pagecache.Drop(f)
		return err
	})
}

// readCold scans, and reads the files beside the tables.
func (p *program) readCold(done chan<- error) {
	errs := make(chan error, 3)
	go p.ScanForward(p.stores[0], errs)
	go p.ScanRanges(p.stores[0], errs)
	go func() { errs <- errors.Join(p.readFrozen(), p.readLogged()) }()
	done <- errors.Join(<-errs, <-errs, <-errs)
}

// ScanForward scans all keys.
//
//go:noinline
func (p *program) ScanForward(s store, done chan<- error) { done <- p.scan(s, nil, p.Keys) }

// ScanRanges scans after each of some keys.
//
//go:noinline
func (p *program) ScanRanges(s store, done chan<- error) {
	random := rand.New(rand.NewPCG(3, 3))
	var errs []error
	for range 50 {
		errs = append(errs, p.scan(s, keyOf(random.IntN(p.Keys)), 200))
	}
	done <- errors.Join(errs...)
}

func (p *program) scan(s store, from []byte, n int) error {
	p.mu.Lock()
	p.log.Scans++
	p.mu.Unlock()
	return s.Scan(from, n)
}

// scanner names the function that scans, if one does.
func (p *program) scanner() string {
	for _, name := range []string{"ScanForward", "ScanRanges"} {
		if p.Cold && below("(*program)."+name) {
			return name
		}
	}
	return ""
}

// page is one of a table.
type page struct {
	db     int
	name   string
	number int64
}

// readAgain reports whether all pages of a read had been read before, and remembers them.
func (p *program) readAgain(db int, name string, off int64, n int) bool {
	again := true
	for i := off / pageBytes; i*pageBytes < off+int64(n); i++ {
		again = again && p.pages[page{db, name, i}]
		p.pages[page{db, name, i}] = true
	}
	return again
}

// readFrozen reads pages of the freezer's file in an order that the kernel does not read ahead in, after
// it has asked for the first half of them.
func (p *program) readFrozen() error {
	f, err := os.Open(filepath.Join(p.Dirs[0], frozenFile))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := willNeed(f, advised*pageBytes); err != nil {
		return err
	}
	page := make([]byte, pageBytes)
	for i := range int64(frozenPages) {
		at := i ^ 1
		if at >= advised && at%8 != 0 {
			continue
		}
		if _, err := f.ReadAt(page, at*pageBytes); err != nil {
			return err
		}
		p.noteFile(frozenFile, pageBytes)
	}
	return nil
}

// readLogged reads the log from begin to end.
func (p *program) readLogged() error {
	f, err := os.Open(filepath.Join(p.Dirs[0], loggedFile))
	if err != nil {
		return err
	}
	defer f.Close()
	for piece := make([]byte, 32<<10); ; {
		n, err := f.Read(piece)
		p.noteFile(loggedFile, n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *program) noteFile(name string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.log.Files[filepath.Ext(name)]
	v.Reads++
	v.Bytes += int64(n)
	p.log.Files[filepath.Ext(name)] = v
}

// deviceBytes is what this process has read from devices.
func deviceBytes() (n int64) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "read_bytes: %d", &n)
	}
	return n
}
