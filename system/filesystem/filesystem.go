// Package filesystem describes the file system that holds a directory.
package filesystem

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// FileSystem is a mounted file system.
type FileSystem struct {
	Type      string // such as ext4
	FreeBytes int64  // that this user may still write
	ReadOnly  bool
}

// Of returns the file system that holds path.
func Of(path string) (FileSystem, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return FileSystem{}, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	return FileSystem{
		Type:      typeName(int64(st.Type)),
		FreeBytes: int64(st.Bavail) * st.Bsize,
		ReadOnly:  st.Flags&unix.ST_RDONLY != 0,
	}, nil
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
