// Package filelock locks a database's LOCK file: shared, without touching the file,
// to read the database, or exclusively, as its libraries do.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Name is the name of the lock file in a database's directory.
const Name = "LOCK"

// ErrLocked is wrapped by the error for a database that another process has open.
var ErrLocked = errors.New("locked by another process")

// Locked returns the error for the database in dir, which another process has open.
func Locked(dir string) error {
	return fmt.Errorf("%s is %w%s: %s", dir, ErrLocked, Holder(filepath.Join(dir, Name)), unlocking)
}

// readLocks counts this process's holders of each read lock. POSIX locks belong to the
// process and the file: closing any descriptor of the file, opened by whatever name,
// releases them all. So one descriptor must serve all holders.
var readLocks = struct {
	sync.Mutex
	held map[fileID]*readLock
}{held: map[fileID]*readLock{}}

// fileID identifies a file by device and inode, independently of its name.
type fileID struct{ device, inode uint64 }

type readLock struct {
	id      fileID
	file    *os.File
	holders int
}

// ForReading takes shared locks of both kinds on a database's lock file: fcntl(2), used by
// Pebble, RocksDB and the original LevelDB, and flock(2), used by goleveldb. It creates and
// writes nothing, so it works even on read-only media, unlike the libraries' own locking,
// which truncates or creates the file. A process that has the database open for writing
// holds an exclusive lock of one kind; then the error wraps ErrLocked. While the shared
// locks are held, no process can open the database for writing. If there is no lock file,
// no process has the database open.
func ForReading(path string) (io.Closer, error) {
	readLocks.Lock()
	defer readLocks.Unlock()
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	} else if err != nil {
		return nil, fmt.Errorf("cannot examine the lock file %s: %w", path, err)
	}
	id := fileID{device: uint64(stat.Dev), inode: stat.Ino}
	l := readLocks.held[id]
	if l == nil {
		f, err := lockShared(path)
		if err != nil {
			return nil, err
		}
		l = &readLock{id: id, file: f}
		readLocks.held[id] = l
	}
	l.holders++
	return &lockHolder{lock: l}, nil
}

// CheckUnlocked returns ErrLocked if another process has the database open for writing. Libraries
// check this themselves, but some truncate the lock file first, and none checks both kinds of locks.
func CheckUnlocked(dir string) error {
	lock, err := ForReading(filepath.Join(dir, Name))
	if err != nil {
		return err
	}
	return lock.Close()
}

func lockShared(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock file: %w", err)
	}
	err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart})
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return nil, Locked(filepath.Dir(path))
	}
	return nil, fmt.Errorf("cannot lock %s: %w", path, err)
}

type lockHolder struct {
	lock *readLock
	once sync.Once
}

// Close gives up the caller's hold; the last holder releases the lock.
func (h *lockHolder) Close() (err error) {
	h.once.Do(func() {
		readLocks.Lock()
		defer readLocks.Unlock()
		h.lock.holders--
		if h.lock.holders > 0 {
			return
		}
		delete(readLocks.held, h.lock.id)
		err = h.lock.file.Close()
	})
	return err
}
