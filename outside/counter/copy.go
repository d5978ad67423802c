package counter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Size is the number and total size of the regular files in a directory.
type Size struct{ Files, Bytes int64 }

// SizeOf measures a directory. It is an error if the directory cannot be copied: if it has
// special files, or links that lead out of it, because reads through those would not be
// counted.
func SizeOf(dir string) (s Size, err error) {
	root, err := realDirectory(dir)
	if err != nil {
		return Size{}, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Type() == fs.ModeSymlink:
			return requireWithin(root, path)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a file, directory or link", path)
		}
		fi, err := d.Info()
		if err == nil {
			s.Files++
			s.Bytes += fi.Size()
		}
		return err
	})
	if err != nil {
		return Size{}, cannotBeCopied(dir, err)
	}
	return s, nil
}

func cannotBeCopied(dir string, err error) error {
	return fmt.Errorf("cannot copy %s (%w): name another directory", dir, err)
}

// realDirectory resolves a path to a directory.
func realDirectory(path string) (string, error) {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", cannotBeCopied(path, err)
	}
	if fi, err := os.Stat(root); err != nil || !fi.IsDir() {
		return "", fmt.Errorf("%s is not a directory: name a directory to copy", path)
	}
	return root, nil
}

// requireWithin refuses a link that would not lead to the copy of its target.
func requireWithin(root, link string) error {
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	to, err := filepath.Rel(root, filepath.Join(filepath.Dir(link), target))
	if err != nil || filepath.IsAbs(target) || !filepath.IsLocal(to) {
		return fmt.Errorf("%s is a link that leads out of it, through which reads would not be counted", link)
	}
	return nil
}

// DiskFor is the size of a disk with room for a copy and some more.
func DiskFor(s Size) int64 { return s.Bytes + s.Bytes/4 + s.Files<<14 + 256<<20 }

// Copy copies the contents of a directory, which must not change meanwhile, to the private
// disk.
func (c *Counter) Copy(ctx context.Context, from string, progress func(bytes int64)) error {
	root, err := realDirectory(from)
	if err != nil {
		return err
	}
	var done int64
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || name == "." {
			return err
		}
		to := filepath.Join(c.Dir, name)
		switch {
		case d.IsDir():
			return os.Mkdir(to, 0o755)
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		}
		return copyFile(ctx, path, to, func(n int64) {
			done += n
			progress(done)
		})
	})
	if errors.Is(err, unix.ENOSPC) {
		return fmt.Errorf("the private disk has no room for a copy of %s: make it larger", from)
	}
	if err != nil {
		return cannotBeCopied(from, err)
	}
	return nil
}

// piece is the number of bytes copied between checks for cancellation.
const piece = 8 << 20

func copyFile(ctx context.Context, from, to string, copied func(n int64)) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fi.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(out, in, piece)
		copied(n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
