package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"

	"getio/system/leftover"
)

// Dir is a temporary directory, in which only this user can write. It is held open and found by its descriptor, so
// that the owner of the directory above it cannot put another one in its place. Its lock distinguishes it from a
// directory that a killed process left behind.
type Dir struct {
	// Path is how this process and its children reach the directory. If another user could rename it or a directory
	// above it, this is the path of its descriptor, /proc/PID/fd/N, which only Linux has.
	Path string
	Name string   // in the directory above it
	Lock *os.File // the directory, locked until every process that has it open closes it

	in      *os.File
	undo    func() error
	created *leftover.Thing
}

// marker is the file that tells getio's directories from those of others with such a name. A directory has it only
// once it is locked.
const marker = ".getio-temporary"

// random follows the prefix in the names of temporary directories.
var random = regexp.MustCompile(`^[0-9a-f]{16}$`)

// New creates a temporary directory in another one. Its name begins with prefix.
func New(in, prefix string) (d *Dir, err error) {
	for d == nil && err == nil {
		var t *leftover.Thing
		t, err = leftover.Create(func() (func() error, error) {
			if d, err = newDir(in, prefix); err != nil || d == nil {
				return func() error { return nil }, err
			}
			return d.remove, nil
		})
		if d != nil {
			d.created = t
		} else {
			t.Keep() // nothing is left to remove
		}
	}
	return d, err
}

// newDir returns nil if another process removed the directory as abandoned before it was locked.
func newDir(in, prefix string) (d *Dir, err error) {
	above, err := os.Open(in)
	if err != nil {
		return nil, err
	}
	d = &Dir{Name: fmt.Sprintf("%s%016x", prefix, rand.Uint64()), in: above, undo: func() error { return nil }}
	if err = unix.Mkdirat(d.above(), d.Name, 0o700); err != nil {
		above.Close()
		return nil, &os.PathError{Op: "mkdir", Path: filepath.Join(in, d.Name), Err: err}
	}
	if d.Lock, err = openDir(d.above(), in, d.Name); err == nil {
		// Without file locks, no directory ever counts as abandoned.
		unix.Flock(int(d.Lock.Fd()), unix.LOCK_EX)
		err = d.requireOwnEmpty()
	}
	if err == nil {
		err = d.mark()
	}
	if err == nil && d.isThere() {
		d.Path = d.path(in)
		return d, nil
	}
	if d.Lock != nil {
		d.Lock.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		unix.Unlinkat(d.above(), d.Name, unix.AT_REMOVEDIR)
	}
	above.Close()
	return nil, err
}

func (d *Dir) above() int { return int(d.in.Fd()) }

// openDir opens a directory in another one, and follows no link.
func openDir(above int, in, name string) (*os.File, error) {
	fd, err := unix.Openat(above, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	path := filepath.Join(in, name)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// requireOwnEmpty returns an error unless the directory that was opened is as New made it.
func (d *Dir) requireOwnEmpty() error {
	own, err := belongsToUser(d.Lock)
	if err != nil {
		return err
	}
	names, _ := d.Lock.Readdirnames(1)
	if !own || len(names) > 0 {
		return fmt.Errorf("%s was replaced by another user as soon as it was made: use a directory that only you can write to", d.Lock.Name())
	}
	return nil
}

// belongsToUser reports whether a directory is of this user, and nobody else may write in it.
func belongsToUser(dir *os.File) (bool, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(dir.Fd()), &st); err != nil {
		return false, err
	}
	return int(st.Uid) == os.Geteuid() && st.Mode&0o022 == 0, nil
}

func (d *Dir) mark() error {
	fd, err := unix.Openat(int(d.Lock.Fd()), marker, unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_WRONLY, 0o600)
	if err != nil {
		return &os.PathError{Op: "open", Path: filepath.Join(d.Lock.Name(), marker), Err: err}
	}
	return unix.Close(fd)
}

func (d *Dir) isThere() bool { return isNamed(d.above(), d.Name, d.Lock) }

func isNamed(above int, name string, dir *os.File) bool {
	var named, held unix.Stat_t
	return unix.Fstatat(above, name, &named, unix.AT_SYMLINK_NOFOLLOW) == nil && unix.Fstat(int(dir.Fd()), &held) == nil &&
		named.Dev == held.Dev && named.Ino == held.Ino
}

// path returns the path by which the directory is reached.
func (d *Dir) path(in string) string {
	named := filepath.Join(in, d.Name)
	above, err := whereIs(d.in)
	if err != nil || d.isIn(above) && safe(above) {
		return named
	}
	return held(d.Lock, named)
}

// isIn reports whether a path leads to the directory above. In another mount namespace, its name may be another one's here.
func (d *Dir) isIn(above string) bool {
	is, err := os.Stat(above)
	held, heldErr := d.in.Stat()
	return err == nil && heldErr == nil && os.SameFile(is, held)
}

// safe reports whether nobody but root and this user can rename or replace what lies in a directory, or the
// directory itself. dir has no links in it.
func safe(dir string) bool {
	for {
		var st unix.Stat_t
		if unix.Lstat(dir, &st) != nil {
			return false
		}
		owner := st.Uid == 0 || int(st.Uid) == os.Geteuid()
		if !owner || st.Mode&0o022 != 0 && st.Mode&unix.S_ISVTX == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
		dir = filepath.Dir(dir)
	}
}

// UndoFirst has undo called before the directory is removed, to revert other effects of its process, such as mounts.
// If undo fails, the directory stays.
func (d *Dir) UndoFirst(undo func() error) { d.undo = undo }

// Remove removes the directory and its contents.
func (d *Dir) Remove() error { return d.created.Remove() }

// Leave leaves the directory to the next RemoveAbandoned.
func (d *Dir) Leave() error {
	d.created.Keep()
	return errors.Join(d.Lock.Close(), d.in.Close())
}

func (d *Dir) remove() error {
	err := d.undo()
	if err == nil {
		err = removeHeld(d.above(), d.Name, d.Lock)
	}
	return errors.Join(err, d.Lock.Close(), d.in.Close())
}

// removals is how often the removal of a directory is tried. A command that is being stopped may still create files in
// it, and another user may move it.
const removals = 100

// removeHeld removes a directory that is held open, wherever it was moved to meanwhile.
func removeHeld(above int, name string, dir *os.File) (err error) {
	for range removals {
		if err = empty(dir); err != nil {
			return err
		}
		if isNamed(above, name, dir) {
			err = unix.Unlinkat(above, name, unix.AT_REMOVEDIR)
		} else if moved, e := whereIs(dir); e == nil {
			err = unix.Rmdir(moved) // removes nothing but an empty directory
		}
		if err == nil || isRemoved(dir) {
			return nil
		}
	}
	return &os.PathError{Op: "remove", Path: dir.Name(), Err: err}
}

func isRemoved(dir *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(dir.Fd()), &st) == nil && st.Nlink == 0
}

// empty removes what lies in a directory that is held open.
func empty(dir *os.File) error {
	root, err := openRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	self, err := root.Open(".")
	if err != nil {
		return err
	}
	defer self.Close()
	names, err := self.Readdirnames(-1)
	for _, name := range names {
		if name != marker {
			err = errors.Join(err, root.RemoveAll(name))
		}
	}
	if err == nil { // last: a directory without it is not removed by others
		err = root.RemoveAll(marker)
	}
	return err
}

// RemoveAbandoned removes directories with the prefix that killed processes of this user left behind. It returns the
// names of those still in use. It passes over directories that are not this user's or that getio did not make.
func RemoveAbandoned(in, prefix string) (used []string, err error) {
	return RemoveAbandonedAfter(in, prefix, func(string) error { return nil })
}

// RemoveAbandonedAfter is like RemoveAbandoned, but calls undo with the name of each directory before it removes it,
// to revert other effects of its process. If undo fails, the directory stays.
func RemoveAbandonedAfter(in, prefix string, undo func(name string) error) (used []string, err error) {
	above, err := os.Open(in)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer above.Close()
	names, err := above.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if len(name) < len(prefix) || name[:len(prefix)] != prefix || !random.MatchString(name[len(prefix):]) {
			continue
		}
		switch inUse, err := removeIfAbandoned(above, in, name, undo); {
		case err != nil:
			return nil, err
		case inUse:
			used = append(used, name)
		}
	}
	return used, nil
}

func removeIfAbandoned(above *os.File, in, name string, undo func(name string) error) (inUse bool, err error) {
	dir, err := openDir(int(above.Fd()), in, name)
	if err != nil {
		return false, nil // another user's, no directory, or gone
	}
	defer dir.Close()
	if own, err := belongsToUser(dir); err != nil || !own {
		return false, err
	}
	if unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return true, nil
	}
	if !isMarked(dir) {
		return false, nil
	}
	if err := undo(name); err != nil {
		return false, err
	}
	if err := removeHeld(int(above.Fd()), name, dir); err != nil {
		return false, fmt.Errorf("cannot remove %s, which a killed getio left (%w): remove it", dir.Name(), err)
	}
	return false, nil
}

// isMarked reports whether getio made the directory, or was killed between making and marking it.
func isMarked(dir *os.File) bool {
	var st unix.Stat_t
	if unix.Fstatat(int(dir.Fd()), marker, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return st.Mode&unix.S_IFMT == unix.S_IFREG && int(st.Uid) == os.Geteuid()
	}
	names, _ := dir.Readdirnames(1)
	return len(names) == 0
}
