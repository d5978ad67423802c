package measure

import "golang.org/x/sys/unix"

// threadID returns the ID of the calling thread.
func threadID() int { return unix.Gettid() }
