package goprogram

import (
	"fmt"
	"io/fs"
	"syscall"
)

const pageMask = 4<<10 - 1

// mapping is a line of /proc/PID/maps.
type mapping struct{ start, offset, inode uint64 }

func parseMapping(line string) (m mapping, ok bool) {
	var end uint64
	var permissions, device string
	_, err := fmt.Sscanf(line, "%x-%x %s %x %s %d", &m.start, &end, &permissions, &m.offset, &device, &m.inode)
	return m, err == nil
}

func inode(fi fs.FileInfo) uint64 { return fi.Sys().(*syscall.Stat_t).Ino }
