package main

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newNames watches a directory, and returns a function that returns what was created in it.
func newNames(t *testing.T, dir string) func() []string {
	t.Helper()
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(t, err)
	_, err = unix.InotifyAddWatch(watch, dir, unix.IN_CREATE)
	require.NoError(t, err)
	return func() (names []string) {
		defer unix.Close(watch)
		events := make([]byte, 64<<10)
		n, _ := unix.Read(watch, events)
		for at := 0; at < n; {
			length := int(binary.NativeEndian.Uint32(events[at+12:]))
			at += unix.SizeofInotifyEvent + length
			names = append(names, string(bytes.TrimRight(events[at-length:at], "\x00")))
		}
		return names
	}
}
