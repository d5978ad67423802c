// Package filesystem describes the file system that holds a directory.
package filesystem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// FileSystem is a mounted file system.
type FileSystem struct {
	Type        string // such as ext4
	Bytes       int64  // in total; 0 if it does not tell, as a tmpfs without a limit
	FreeBytes   int64  // that this user may still write
	UnusedBytes int64  // FreeBytes and what is reserved for root
	ReadOnly    bool
}

// Of returns the file system that holds path.
func Of(path string) (FileSystem, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return FileSystem{}, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	return FileSystem{
		Type:        typeName(int64(st.Type)),
		Bytes:       int64(st.Blocks) * st.Bsize,
		FreeBytes:   int64(st.Bavail) * st.Bsize,
		UnusedBytes: int64(st.Bfree) * st.Bsize,
		ReadOnly:    st.Flags&unix.ST_RDONLY != 0,
	}, nil
}

// Holding returns the file system on which path would be created: that of the nearest directory above it that
// exists. If path exists, it is its own.
func Holding(path string) (FileSystem, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return FileSystem{}, err
	}
	for {
		fs, err := Of(path)
		if !errors.Is(err, os.ErrNotExist) || path == filepath.Dir(path) {
			return fs, err
		}
		path = filepath.Dir(path)
	}
}

// Real returns the path of a directory without symbolic links. Where the texts of these lead elsewhere, as that of
// /proc/PID/root does for a process with another root, it returns the path as it is, but absolute.
func Real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	there, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if here, err := os.Stat(real); err == nil && os.SameFile(here, there) {
			return real, nil
		}
	}
	return path, nil
}

// Target returns where a symbolic link leads that is held open.
func Target(link int) (string, error) {
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(link, "", target)
	return string(target[:max(n, 0)]), err
}

// Allocated returns the space on disk of the files in and below a directory, 0 if it does not exist.
func Allocated(dir string) (bytes int64, err error) {
	dir, err = Real(dir) // WalkDir does not follow links
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return Sum(dir, func(fi os.FileInfo) int64 { return fi.Sys().(*syscall.Stat_t).Blocks * 512 })
}

// Sum adds up what is counted of a directory, which must be no link, and of all that lies below it. What is
// removed meanwhile is left out.
func Sum(dir string, count func(os.FileInfo) int64) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist) && path != dir:
			return nil
		case err != nil:
			return err
		}
		fi, err := d.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil {
			sum += count(fi)
		}
		return err
	})
	return sum, err
}

// zfsMagic is the number of OpenZFS, which is not part of the kernel (its zfs_vfsops.h).
const zfsMagic = 0x2fc12fc1

// typeName returns the name of a file system by its number in statfs(2).
func typeName(magic int64) string {
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4" // ext2 and ext3 have the same number
	case unix.XFS_SUPER_MAGIC:
		return "XFS"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.F2FS_SUPER_MAGIC:
		return "F2FS"
	case zfsMagic:
		return "ZFS"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	case unix.PROC_SUPER_MAGIC:
		return "proc"
	}
	return fmt.Sprintf("of type 0x%x", magic)
}
