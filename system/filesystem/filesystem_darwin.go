package filesystem

import (
	"os"

	"golang.org/x/sys/unix"
)

// Of returns the file system that holds path.
func Of(path string) (FileSystem, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return FileSystem{}, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	block := int64(st.Bsize)
	return FileSystem{
		Type:        unix.ByteSliceToString(st.Fstypename[:]),
		Bytes:       int64(st.Blocks) * block,
		FreeBytes:   int64(st.Bavail) * block,
		UnusedBytes: int64(st.Bfree) * block,
		ReadOnly:    st.Flags&unix.MNT_RDONLY != 0,
	}, nil
}
