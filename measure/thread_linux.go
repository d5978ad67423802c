package measure

import "golang.org/x/sys/unix"

// RequireThreads returns an error where threads cannot be identified.
func RequireThreads() error { return nil }

// threadID identifies the calling thread.
func threadID() int { return unix.Gettid() }
