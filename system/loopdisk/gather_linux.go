package loopdisk

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

// Gather rewrites each file on the disk into one extent, if a large enough one is free, so that
// one read of a file is one read of the device. Files that grew at the same time have many
// extents. Nobody may use the files meanwhile. A file whose space is not free a second time is moved
// piece by piece into what is, which may take several extents; after an error, it is lost.
func (d *Disk) Gather(ctx context.Context) error {
	return filepath.WalkDir(d.Dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if err := gather(ctx, path); err != nil {
			return fmt.Errorf("cannot write %s in one extent: %w", path, err)
		}
		return nil
	})
}

// gather rewrites a file and keeps its holes.
func gather(ctx context.Context, path string) (err error) {
	from, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	fi, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.CreateTemp(filepath.Dir(path), ".getio-")
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, to.Close()); err == nil {
			err = os.Rename(to.Name(), path)
		}
		if err != nil {
			os.Remove(to.Name())
		}
	}()
	if err := errors.Join(to.Truncate(fi.Size()), to.Chmod(fi.Mode().Perm())); err != nil {
		return err
	}
	for at := int64(0); ; {
		begin, end, err := data(from, at)
		if err != nil || begin == end {
			return errors.Join(err, to.Sync())
		}
		if err := copyPart(ctx, to, from, begin, end-begin); err != nil {
			return err
		}
		at = end
	}
}

// piece is what is copied between two checks of the context, in bytes.
const piece = 8 << 20

// data returns the next part of a file, from an offset on, that is not a hole. The part is empty
// if there is none.
func data(f *os.File, at int64) (begin, end int64, err error) {
	if begin, err = f.Seek(at, unix.SEEK_DATA); errors.Is(err, unix.ENXIO) {
		return 0, 0, nil
	}
	if err == nil {
		end, err = f.Seek(begin, unix.SEEK_HOLE)
	}
	return begin, end, err
}

// copyPart copies a part of a file to the same offset of another one. It first allocates all of
// the space there. If that is not free, it allocates space piece by piece, and frees each piece that it has copied.
func copyPart(ctx context.Context, to, from *os.File, begin, bytes int64) error {
	err := unix.Fallocate(int(to.Fd()), 0, begin, bytes)
	scarce := errors.Is(err, unix.ENOSPC)
	if err != nil && !scarce {
		return err
	}
	for at := begin; at < begin+bytes; at += piece {
		n := min(piece, begin+bytes-at)
		if scarce {
			if err := unix.Fallocate(int(to.Fd()), 0, at, n); err != nil {
				return err
			}
		}
		if _, err := io.Copy(io.NewOffsetWriter(to, at), io.NewSectionReader(from, at, n)); err != nil {
			return err
		}
		if scarce {
			if err := unix.Fallocate(int(from.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, n); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
