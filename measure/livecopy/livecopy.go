// Package livecopy copies a database that another process has open. It links tables and blob files,
// which never change once written, and copies all other files. It does not touch the database's lock, and
// opens none of its files for writing.
package livecopy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"getio/system/tempdir"
)

// Copy is a copy of a database at one moment, in a directory beside it.
type Copy struct {
	Dir       string
	temporary *tempdir.Dir
}

// suffix marks the directory of a copy, so that abandoned copies can be recognised.
const suffix = ".getio-live-"

// tries limits how often a copy is tried, since the database may change meanwhile. A node
// deletes tables a few times per minute; a try takes a few seconds at most.
const tries = 20

// Take copies the state of the database in dir at one moment. The copy is placed beside dir, on
// the same file system, and takes up the space of the manifest and the log.
func Take(dir string) (*Copy, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot copy %s: %w", dir, err)
	}
	return TakeIn(filepath.Dir(real), real)
}

// TakeIn is like Take, but places the copy in another directory of the same file system.
func TakeIn(above, dir string) (*Copy, error) {
	prefix := filepath.Base(dir) + suffix
	// Copies left by killed processes keep the space of deleted tables. If one cannot be
	// removed, for example because it belongs to another user, take the copy anyway.
	tempdir.RemoveAbandoned(above, prefix)
	side, err := tempdir.New(above, prefix)
	if err != nil {
		return nil, fmt.Errorf("cannot make a copy of %s in %s (%w): make that directory writable", dir, above, err)
	}
	c := &Copy{Dir: side.Path, temporary: side}
	for range tries {
		if err = c.take(dir); !errors.Is(err, errChanged) {
			break
		}
	}
	if err == nil {
		return c, nil
	}
	c.Close()
	if errors.Is(err, errChanged) {
		return nil, fmt.Errorf("%s changes faster than it can be copied: try again when its process compacts less", dir)
	}
	return nil, err
}

// Close removes the copy.
func (c *Copy) Close() error { return c.temporary.Remove() }

var errChanged = errors.New("the database changed meanwhile")

// take brings the copy up to date with the database. The copy needs all files that its manifest
// names: take links existing tables before it copies the manifest, and new tables after that. A
// log that was deleted meanwhile may have been needed, and one that is gone once it was copied may
// have been overwritten at the same time: Pebble renames logs to use their space again.
func (c *Copy) take(dir string) error {
	before, err := list(dir)
	if err != nil {
		return err
	}
	if err := c.link(dir, before.tables); err != nil {
		return err
	}
	if err := c.clear(); err != nil {
		return err
	}
	for _, name := range before.state {
		if err := c.copy(dir, name); err != nil {
			return err
		}
	}
	after, err := list(dir)
	if err != nil {
		return err
	}
	for _, name := range after.logs {
		if err := c.copy(dir, name); err != nil {
			return err
		}
	}
	if err := c.link(dir, after.tables); err != nil {
		return err
	}
	end, err := list(dir)
	if err != nil {
		return err
	}
	if !slices.Equal(before.state, end.state) || !contains(after.logs, before.logs) || !contains(end.logs, after.logs) {
		return errChanged
	}
	return nil
}

// contains reports whether all has every one of names.
func contains(all, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(all, name) })
}

// files lists the files of a database by how they are copied.
type files struct {
	tables []string // tables and blob files, written once
	logs   []string // appended to, deleted and reused
	state  []string // markers, the manifest, options
}

func list(dir string) (f files, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return f, fmt.Errorf("cannot copy %s: %w", dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		switch ext := filepath.Ext(name); {
		case !e.Type().IsRegular() || name == "LOCK" || strings.HasPrefix(name, "LOG"):
		case ext == ".sst" || ext == ".ldb" || ext == ".blob":
			f.tables = append(f.tables, name)
		case ext == ".log":
			f.logs = append(f.logs, name)
		default:
			f.state = append(f.state, name)
		}
	}
	return f, nil
}

// link links the tables that the copy does not hold yet.
func (c *Copy) link(dir string, tables []string) error {
	for _, name := range tables {
		err := os.Link(filepath.Join(dir, name), filepath.Join(c.Dir, name))
		switch {
		case err == nil || errors.Is(err, fs.ErrExist):
		case errors.Is(err, fs.ErrNotExist):
			return errChanged
		case errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP):
			return fmt.Errorf("cannot link to %s (%w), and --live needs a file system with hard links: stop the process, or use a copy", filepath.Join(dir, name), err)
		default:
			return fmt.Errorf("cannot link to %s: %w", filepath.Join(dir, name), err)
		}
	}
	return nil
}

// clear removes what an earlier try copied, except the links.
func (c *Copy) clear() error {
	f, err := list(c.Dir)
	if err != nil {
		return err
	}
	for _, name := range append(f.logs, f.state...) {
		if err := os.Remove(filepath.Join(c.Dir, name)); err != nil {
			return fmt.Errorf("cannot repeat the copy in %s: %w", c.Dir, err)
		}
	}
	return nil
}

func (c *Copy) copy(dir, name string) error {
	from, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return fmt.Errorf("cannot copy %s: %w", filepath.Join(dir, name), err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(c.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write the copy of %s: %w", name, err)
	}
	_, err = io.Copy(to, from)
	if e := to.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("cannot write the copy of %s: %w", name, err)
	}
	return nil
}
