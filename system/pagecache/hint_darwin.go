package pagecache

import (
	"os"

	"golang.org/x/sys/unix"
)

// ExpectRandomReads tells the kernel that a file is read at random, so that it does not read ahead. It is a hint: failure
// does no harm.
func ExpectRandomReads(f *os.File) { _, _ = unix.FcntlInt(f.Fd(), unix.F_RDAHEAD, 0) }
