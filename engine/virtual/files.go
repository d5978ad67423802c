package virtual

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// files is a pool of open table files with a maximum size, since a tree of 20 billion keys
// has more tables than a process may open files. It closes the least recently used first.
type files struct {
	max int

	mu     sync.Mutex
	byPath map[string]*list.Element // of *openFile
	recent list.List                // most recently used first
}

// openFile is a file and the number of reads in progress.
type openFile struct {
	path  string
	file  *os.File
	users int
}

func newFiles(max int) *files { return &files{max: max, byPath: map[string]*list.Element{}} }

// use returns the file at path, open until done is called with it.
func (f *files) use(path string) (*openFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.byPath[path]; e != nil {
		f.recent.MoveToFront(e)
		o := e.Value.(*openFile)
		o.users++
		return o, nil
	}
	f.makeRoom()
	file, err := os.Open(path)
	if err != nil {
		return nil, missing(err)
	}
	o := &openFile{path: path, file: file, users: 1}
	f.byPath[path] = f.recent.PushFront(o)
	return o, nil
}

// missing adds what to do about a missing file to an error.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: build the dataset again", err)
	}
	return err
}

// makeRoom closes files that are not being read until one more fits.
func (f *files) makeRoom() {
	for e := f.recent.Back(); e != nil && f.recent.Len() >= f.max; {
		o, before := e.Value.(*openFile), e.Prev()
		if o.users == 0 {
			o.file.Close()
			f.recent.Remove(e)
			delete(f.byPath, o.path)
		}
		e = before
	}
}

func (f *files) done(o *openFile) {
	f.mu.Lock()
	o.users--
	f.mu.Unlock()
}

// errShort means that a file is shorter than its header says.
var errShort = errors.New("the file ends too early: build the dataset again")

// readAt reads from the file at path.
func (f *files) readAt(path string, p []byte, off int64) error {
	o, err := f.use(path)
	if err != nil {
		return err
	}
	defer f.done(o)
	if _, err = o.file.ReadAt(p, off); err == io.EOF {
		return errShort
	}
	return err
}

func (f *files) close() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.byPath {
		err = errors.Join(err, e.Value.(*openFile).file.Close())
	}
	f.byPath = map[string]*list.Element{}
	f.recent.Init()
	return err
}
