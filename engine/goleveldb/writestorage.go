package goleveldb

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine/loading"
	"getio/system/atomicfile"
)

// writeStorage is the library's own storage for writing. It keeps errors of the device from
// the library, which would retry for ever, and can sync the log without a write, which the
// library cannot.
type writeStorage struct {
	storage.Storage
	dir      string
	failures *loading.Failures

	mu   sync.Mutex
	logs map[*writeFile]bool // open files of the write-ahead log
}

func openWriteStorage(dir string, failures *loading.Failures) (*writeStorage, error) {
	files, err := storage.OpenFile(dir, false)
	if err != nil {
		return nil, err
	}
	return &writeStorage{Storage: files, dir: dir, failures: failures, logs: map[*writeFile]bool{}}, nil
}

func (s *writeStorage) Create(fd storage.FileDesc) (storage.Writer, error) {
	w, err := s.Storage.Create(fd)
	if err != nil {
		return nil, s.failures.Halt(err)
	}
	f := &writeFile{Writer: w, storage: s}
	if fd.Type != storage.TypeJournal {
		return f, nil
	}
	// The file's name is to be durable.
	if err := s.failures.Halt(atomicfile.Sync(s.dir)); err != nil {
		w.Close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[f] = true
	return f, nil
}

func (s *writeStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	r, err := s.Storage.Open(fd)
	if fd.Type != storage.TypeTable {
		return r, s.failures.Halt(err)
	}
	s.failures.HaltOpen(err)
	return &haltingReader{r, filepath.Join(s.dir, fd.String()), s.failures}, nil
}

// haltingReader is a table that the library reads while it writes.
type haltingReader struct {
	storage.Reader
	name     string
	failures *loading.Failures
}

func (r *haltingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	return n, r.failures.HaltRead(r.name, err)
}

// Log implements storage.Storage. The library ends its compactions at a damaged table and only logs that
// (leveldb/db_compaction.go, compactionTransact).
func (s *writeStorage) Log(line string) {
	if strings.HasSuffix(line, "exiting (corruption detected)") {
		s.failures.Fail(errors.New("a table that it wrote cannot be read, so compactions have ended: check the disk"))
	}
	s.Storage.Log(line)
}

func (s *writeStorage) SetMeta(fd storage.FileDesc) error {
	return s.failures.Halt(s.Storage.SetMeta(fd))
}

func (s *writeStorage) Rename(from, to storage.FileDesc) error {
	return s.failures.Halt(s.Storage.Rename(from, to))
}

// syncLogs syncs the open files of the log. Others were synced when they were closed.
func (s *writeStorage) syncLogs() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.logs {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// writeFile is a file being written.
type writeFile struct {
	storage.Writer
	storage *writeStorage
}

func (f *writeFile) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	return n, f.storage.failures.Halt(err)
}

func (f *writeFile) Sync() error { return f.storage.failures.Halt(f.Writer.Sync()) }

// Close implements storage.Writer. It syncs a file of the log, because the library closes it
// while its records are only in a memtable.
func (f *writeFile) Close() error {
	s := f.storage
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.logs[f] {
		delete(s.logs, f)
		if err := f.Sync(); err != nil {
			f.Writer.Close()
			return err
		}
	}
	return s.failures.Halt(f.Writer.Close())
}
