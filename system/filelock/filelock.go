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
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Name is the name of the lock file in a database's directory.
const Name = "LOCK"

// ErrLocked is wrapped by the error for a database that another process has open.
var ErrLocked = errors.New("locked by another process")

// Locked returns the error for the database in dir, which another process has open.
func Locked(dir string) error { return lockedBy(dir, Name, unlocking) }

// lockedBy names the process that has locked a file in dir, and says how to come by what is there.
func lockedBy(dir, name, way string) error {
	return fmt.Errorf("%s is %w%s: %s", dir, ErrLocked, Holder(filepath.Join(dir, name)), way)
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

func identify(path string) (fileID, error) {
	var stat unix.Stat_t
	err := unix.Stat(path, &stat)
	return fileID{device: uint64(stat.Dev), inode: stat.Ino}, err
}

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
	id, err := identify(path)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	} else if err != nil {
		return nil, fmt.Errorf("cannot examine the lock file %s: %w", path, err)
	}
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
	return closer(sync.OnceValue(l.release)), nil
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
	err = lockAll(f, unix.F_RDLCK)
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	}
	if err != nil {
		return nil, refused(f, err, unlocking)
	}
	return f, nil
}

func lockAll(f *os.File, kind int16) error {
	return unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart})
}

// refused closes a file that could not be locked, and says why.
func refused(f *os.File, err error, way string) error {
	f.Close()
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return lockedBy(filepath.Dir(f.Name()), filepath.Base(f.Name()), way)
	}
	return fmt.Errorf("cannot lock %s: %w", f.Name(), err)
}

// closer is an io.Closer.
type closer func() error

func (c closer) Close() error { return c() }

// release gives up a hold; the last holder releases the lock.
func (l *readLock) release() error {
	readLocks.Lock()
	defer readLocks.Unlock()
	l.holders--
	if l.holders > 0 {
		return nil
	}
	delete(readLocks.held, l.id)
	return l.file.Close()
}

// ForWriting takes the fcntl(2) lock that Pebble takes on a database opened for writing. It
// creates the lock file if there is none. The error wraps ErrLocked if any process, including
// this one, has the database open.
func ForWriting(dir string) (io.Closer, error) {
	readLocks.Lock()
	defer readLocks.Unlock()
	path := filepath.Join(dir, Name)
	if id, err := identify(path); err == nil && readLocks.held[id] != nil {
		return nil, fmt.Errorf("%s is open for reading in this process, and so is %w: close it first", dir, ErrLocked)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot open the lock file: %w", err)
	}
	if err := lockAll(f, unix.F_WRLCK); err != nil {
		return nil, refused(f, err, "stop that process, or choose another directory")
	}
	return f, nil
}

// CheckUnused returns the error of Locked if another process, or another open file of this one, has a
// lock of any kind of fcntl(2) on one of the named files in dir. A file that is not there is unused.
func CheckUnused(dir string, names ...string) error {
	for _, name := range names {
		locked, err := anyLock(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if locked {
			return lockedBy(dir, name, "stop that process, or work on a copy")
		}
	}
	return nil
}

// anyLock asks the kernel which lock would keep the whole file from being locked for writing. Nothing
// is locked.
func anyLock(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot open %s to see who has locked it: %w", path, err)
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), getLock, &lock); err != nil {
		return false, fmt.Errorf("cannot see who has locked %s: %w", path, err)
	}
	return lock.Type != unix.F_UNLCK, nil
}

// Holder names the process that has an exclusive lock on a file, as in ", geth (process 1234)". It is
// empty if the kernel does not tell: the process may be in another namespace, or have ended, and
// some file systems give a file another device in /proc/locks than in stat(2).
func Holder(path string) string {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	pid := exclusiveHolder(string(locks), fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(stat.Dev)), unix.Minor(uint64(stat.Dev)), stat.Ino))
	if pid == "" {
		return ""
	}
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", %s (process %s)", strings.TrimSpace(string(name)), pid)
}

// exclusiveHolder finds the process with an exclusive lock on a file in the text of /proc/locks, or
// returns "". Its lines are "1: POSIX  ADVISORY  WRITE 1234 fe:00:5678 0 EOF" (proc(5)); those of
// processes that wait for a lock have "->" after the number.
func exclusiveHolder(locks, file string) string {
	for line := range strings.Lines(locks) {
		if f := strings.Fields(line); len(f) == 8 && f[3] == "WRITE" && f[5] == file {
			return f[4]
		}
	}
	return ""
}
