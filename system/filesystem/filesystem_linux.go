package filesystem

import (
	"cmp"
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
		Type:        cmp.Or(typeNames[int64(st.Type)], fmt.Sprintf("of type 0x%x", st.Type)),
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

// typeNames are those of file systems by their numbers in statfs(2).
var typeNames = map[int64]string{
	unix.EXT4_SUPER_MAGIC:      "ext4", // ext2 and ext3 have the same number
	unix.XFS_SUPER_MAGIC:       "XFS",
	unix.BTRFS_SUPER_MAGIC:     "btrfs",
	unix.F2FS_SUPER_MAGIC:      "F2FS",
	zfsMagic:                   "ZFS",
	unix.TMPFS_MAGIC:           "tmpfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlayfs",
	unix.NFS_SUPER_MAGIC:       "NFS",
	unix.FUSE_SUPER_MAGIC:      "FUSE",
	unix.PROC_SUPER_MAGIC:      "proc",
}
