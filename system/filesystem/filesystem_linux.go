package filesystem

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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

// Target returns where a symbolic link leads that is held open.
func Target(link int) (string, error) {
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(link, "", target)
	return string(target[:max(n, 0)]), err
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
