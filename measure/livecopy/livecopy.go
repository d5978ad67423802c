// Package livecopy copies a database that another process has open. It links tables and blob files,
// which never change once written, and copies all other files. It does not touch the database's lock, and
// opens none of its files for writing.
//
// The directory belongs to others, who may replace its files and the directory itself at any moment. Both directories are
// held open, and files are reached through them.
package livecopy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/system/filesystem"
	"getio/system/tempdir"
)

// Copy is a copy of a database at one moment, in a directory of its own.
type Copy struct {
	Dir       string
	temporary *tempdir.Dir
	of        *os.File // the directory of the database
	to        *os.File // that of the copy
}

// suffix marks the directory of a copy, so that abandoned copies can be recognised.
const suffix = ".getio-live-"

// tries limits how often a copy is tried, since the database may change meanwhile. A node
// deletes tables a few times per minute; a try takes a few seconds at most.
const tries = 20

// Take copies the state of the database in dir at one moment. The copy is placed beside dir, on
// the same file system, and takes up the space of the manifest and the log.
func Take(ctx context.Context, dir string) (*Copy, error) { return TakeIn(ctx, "", dir) }

// TakeIn is like Take, but places the copy in another directory of the same file system, unless above is empty.
func TakeIn(ctx context.Context, above, dir string) (*Copy, error) {
	if err := Supported(dir); err != nil {
		return nil, err
	}
	of, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot copy %s: %w", dir, err)
	}
	real, err := filesystem.Real(dir)
	if err != nil {
		of.Close()
		return nil, fmt.Errorf("cannot copy %s: %w", dir, err)
	}
	if above == "" {
		above = filepath.Dir(real)
	}
	prefix := filepath.Base(real) + suffix
	// Copies left by killed processes keep the space of deleted tables. If they cannot be removed, take the copy anyway.
	tempdir.RemoveAbandoned(above, prefix)
	side, err := tempdir.New(above, prefix)
	if err != nil {
		of.Close()
		return nil, fmt.Errorf("cannot make a copy of %s in %s (%w): run getio as the user that owns the database, or as root", dir, above, err)
	}
	c := &Copy{Dir: side.Path, temporary: side, of: of, to: side.Lock}
	for range tries {
		if err = c.take(ctx); !errors.Is(err, errChanged) {
			break
		}
	}
	if err == nil {
		err = c.requireSame(dir)
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

// requireSame returns an error if dir is another directory than the one that was copied.
func (c *Copy) requireSame(dir string) error {
	was, err := c.of.Stat()
	if err != nil {
		return err
	}
	if is, err := os.Stat(dir); err != nil || !os.SameFile(was, is) {
		return fmt.Errorf("%s was replaced while it was copied: run the command again", dir)
	}
	return nil
}

// Close removes the copy.
func (c *Copy) Close() error { return errors.Join(c.temporary.Remove(), c.of.Close()) }

var errChanged = errors.New("the database changed meanwhile")

// take brings the copy up to date with the database. The copy needs all files that its manifest
// names: take links existing tables before it copies the manifest, and new tables after that. A
// log that was deleted meanwhile may have been needed, and one that is gone once it was copied may
// have been overwritten at the same time: Pebble renames logs to use their space again.
func (c *Copy) take(ctx context.Context) error {
	before, err := list(c.of)
	if err != nil {
		return err
	}
	if err := each(ctx, before.tables, c.link); err != nil {
		return err
	}
	if err := c.clear(); err != nil {
		return err
	}
	if err := each(ctx, before.state, c.copy); err != nil {
		return err
	}
	after, err := list(c.of)
	if err != nil {
		return err
	}
	if err := each(ctx, after.logs, c.copy); err != nil {
		return err
	}
	if err := each(ctx, after.tables, c.link); err != nil {
		return err
	}
	end, err := list(c.of)
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

// files lists the files of a database by how they are copied, and links to files.
type files struct {
	tables []string // tables and blob files, written once
	logs   []string // appended to, deleted and reused
	state  []string // markers, the manifest, options
}

func list(dir *os.File) (f files, err error) {
	if _, err = dir.Seek(0, io.SeekStart); err != nil {
		return f, err
	}
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return f, fmt.Errorf("cannot copy %s: %w", dir.Name(), err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := e.Name()
		isFile := e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 && !isDir(dir, name)
		switch ext := filepath.Ext(name); {
		case !isFile || name == "LOCK" || strings.HasPrefix(name, "LOG") || strings.HasPrefix(name, "."):
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

// isDir reports whether a link in a directory leads to a directory.
func isDir(dir *os.File, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(int(dir.Fd()), name, &st, 0) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}

// each takes one file after another into the copy.
func each(ctx context.Context, names []string, take func(context.Context, string) error) error {
	for _, name := range names {
		if err := take(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// link links to a table unless the copy holds it already.
func (c *Copy) link(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := c.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	switch err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), int(c.to.Fd()), name, unix.AT_SYMLINK_FOLLOW); {
	case err == nil || errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist): // deleted since it was opened
		return errChanged
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("cannot link to %s (%w): run getio as the user that owns it, or as root; on a file system without hard links, stop the process", f.Name(), err)
	case errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENOTSUP):
		return fmt.Errorf("cannot link to %s (%w), and --live needs one file system with hard links: stop the process, or use a copy", f.Name(), err)
	default:
		return fmt.Errorf("cannot link to %s: %w", f.Name(), err)
	}
}

// clear removes what an earlier try copied, except the links.
func (c *Copy) clear() error {
	f, err := list(c.to)
	if err != nil {
		return err
	}
	for _, name := range append(f.logs, f.state...) {
		if err := unix.Unlinkat(int(c.to.Fd()), name, 0); err != nil {
			return fmt.Errorf("cannot repeat the copy in %s: %w", c.Dir, err)
		}
	}
	return nil
}

// mostCopied is more than a log or manifest takes, and less than a file with holes may have.
const mostCopied = 16 << 30

func (c *Copy) copy(ctx context.Context, name string) error {
	from, err := c.open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	if fi, err := from.Stat(); err == nil && fi.Size() > mostCopied {
		return fmt.Errorf("%s has more than %s, and is not copied: stop the process, and omit --live", from.Name(), humanize.IBytes(mostCopied))
	}
	fd, err := unix.Openat(int(c.to.Fd()), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write the copy of %s: %w", name, err)
	}
	to := os.NewFile(uintptr(fd), filepath.Join(c.Dir, name))
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(to, from, 64<<20)
		}
	}
	if err == io.EOF {
		err = nil
	}
	if e := to.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("cannot write the copy of %s: %w", name, err)
	}
	return nil
}
