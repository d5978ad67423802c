// Package atomicfile replaces the contents of a file atomically. It writes a temporary file beside
// it and renames it, so that a reader finds the complete old contents or the complete new ones.
// ReplaceDurably also syncs the file, so that a crash of the machine does not lose the new contents; Replace
// does not. SyncTree prepares a directory for a rename that a crash leaves either undone or complete.
package atomicfile

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

// Replace writes data to the file at path; after an error, an existing file is unchanged. If path is a symbolic link, its
// target is replaced, unless another user made the link. The file keeps its mode; a new one gets 0666 without the umask.
// The error does not name the file.
func Replace(path string, data []byte) error { return replace(path, data, false) }

// ReplaceDurably is Replace, and syncs the file before it is renamed and the directory after it.
func ReplaceDurably(path string, data []byte) error { return replace(path, data, true) }

func replace(path string, data []byte, durably bool) error {
	u, err := Begin(path, 0o666)
	if err != nil {
		return err
	}
	defer u.Discard()
	_, err = u.Write(data)
	if there, e := os.Lstat(u.place.Path()); e == nil && err == nil {
		err = u.Chmod(there.Mode().Perm())
	}
	if err == nil && durably {
		err = u.Sync()
	}
	if err == nil {
		err = u.Rename()
	}
	if err == nil && durably {
		err = Sync(u.place.Dir())
	}
	return Cause(err)
}

// Unfinished is a file beside the one that it is to become. If the command is abandoned, it is removed.
type Unfinished struct {
	*os.File
	place   *Place
	created *leftover.Thing
}

// Begin creates an empty file beside the one at path, with a mode that the umask restricts: os.CreateTemp would deny it to
// everybody else. The caller discards it at the end.
func Begin(path string, mode os.FileMode) (u *Unfinished, err error) {
	t, err := leftover.Create(func() (func() error, error) {
		place, err := Follow(path)
		if err != nil {
			return nil, Cause(err)
		}
		name := fmt.Sprintf("%s/.getio-%016x", place.Dir(), rand.Uint64())
		file, err := place.create(name, os.O_WRONLY, mode)
		if err != nil {
			place.Close()
			return nil, Cause(err)
		}
		u = &Unfinished{File: file, place: place}
		return u.remove, nil
	})
	if err != nil {
		return nil, err
	}
	u.created = t
	return u, nil
}

// unfinished matches the names of unfinished files.
var unfinished = regexp.MustCompile(`^\.getio-[0-9a-f]{16}$`)

// IsUnfinished reports whether a file that has a name may be what a killed process left.
func IsUnfinished(name string) bool { return unfinished.MatchString(name) }

// Dir leads to the directory of the file, wherever it is moved.
func (u *Unfinished) Dir() string { return u.place.Dir() }

// Rename closes the file and gives it its name.
func (u *Unfinished) Rename() error {
	err := u.Close()
	if err == nil {
		err = os.Rename(u.Name(), u.place.Path())
	}
	return Cause(err)
}

// Discard removes the file unless it was renamed.
func (u *Unfinished) Discard() { u.created.Remove() }

func (u *Unfinished) remove() error {
	u.Close()
	err := os.Remove(u.Name())
	if errors.Is(err, fs.ErrNotExist) { // renamed
		err = nil
	}
	return errors.Join(err, u.place.Close())
}

// Sync makes the contents of a file durable, or the names in a directory.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncTree makes the files and names below a directory durable, but not the directory's own name.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() && !e.Type().IsRegular() {
			return err
		}
		return Sync(path)
	})
}

// RequireReplaceable returns an error if Replace would fail, naming the flag that chose the file.
func RequireReplaceable(path, flag string) error {
	place, err := Follow(path)
	if err != nil {
		return CannotWrite(path, flag, err)
	}
	defer place.Close()
	if fi, err := os.Stat(place.Path()); err == nil && !fi.Mode().IsRegular() {
		return fmt.Errorf("cannot overwrite %s, which is not a regular file: choose another with %s", path, flag)
	}
	if err := unix.Access(place.Dir(), unix.W_OK); err != nil {
		return fmt.Errorf("cannot write %s (%w): choose another file with %s", path, err, flag)
	}
	return nil
}

// CheckOutput refuses an output that is not a regular file, or that is one of the inputs. flag is what
// chose it; an empty path is standard output.
func CheckOutput(path, flag string, inputs []string) error {
	if path == "" {
		return nil
	}
	out, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return CannotWrite(path, flag, Cause(err))
	case out.IsDir():
		return fmt.Errorf("%s is a directory: choose a file in it with %s", path, flag)
	case !out.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: choose one with %s, or leave it out to write to standard output", path, flag)
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("%s is one of the files of records and would be lost: choose another file with %s", path, flag)
		}
	}
	return nil
}

// CannotWrite words an error of Replace. flag is what chose the file.
func CannotWrite(path, flag string, err error) error {
	return fmt.Errorf("cannot write %s (%w): choose another file with %s", path, err, flag)
}

// Cause returns a file error without the name of the file.
func Cause(err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return file.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
