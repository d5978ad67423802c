package cgroup

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"getio/system/device"
)

// v1 is a group in two hierarchies (Linux, Documentation/admin-guide/cgroup-v1).
type v1 struct{ memoryDir, blocksDir string }

// Account sets a limit that no device reaches, since without a limit reads are not counted.
func (v v1) Account(block uint64) error {
	return write(v.blocksDir, "blkio.throttle.read_iops_device", deviceName(block)+" 1000000000")
}

// Reads parses lines such as "7:0 Read 20000".
func (v v1) Reads(block uint64) (c device.Count, err error) {
	account := func(name string) (int64, error) {
		return read(v.blocksDir, name, number(deviceName(block)+" Read "))
	}
	var errs [2]error
	c.Reads, errs[0] = account("blkio.throttle.io_serviced")
	c.Bytes, errs[1] = account("blkio.throttle.io_service_bytes")
	return c, errors.Join(errs[:]...)
}

func (v v1) Memory() (Memory, error) {
	return readMemory(v.memoryDir, "memory.usage_in_bytes", "total_cache", "total_rss", "total_active_file")
}

func (v v1) Limit(bytes int64) error {
	if err := write(v.memoryDir, "memory.swappiness", "0"); err != nil {
		return err
	}
	return write(v.memoryDir, "memory.limit_in_bytes", strconv.FormatInt(bytes, 10))
}

func (v v1) Reclaim() error { return write(v.memoryDir, "memory.force_empty", "0") }

// v2 is a group in the unified hierarchy (Linux, Documentation/admin-guide/cgroup-v2.rst).
type v2 struct{ dir string }

// Account does nothing: all reads are counted.
func (v2) Account(uint64) error { return nil }

func (v v2) Reads(block uint64) (device.Count, error) {
	return read(v.dir, "io.stat", func(text string) (device.Count, error) { return parseIOStat(text, deviceName(block)) })
}

// parseIOStat parses the line of a device, such as
//
//	7:0 rbytes=81920000 wbytes=0 rios=20000 wios=0 dbytes=0 dios=0
//
// The kernel may omit a device that was not read.
func parseIOStat(text, name string) (c device.Count, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != name {
			continue
		}
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			switch key {
			case "rios":
				c.Reads, err = strconv.ParseInt(value, 10, 64)
			case "rbytes":
				c.Bytes, err = strconv.ParseInt(value, 10, 64)
			}
			if err != nil {
				return device.Count{}, err
			}
		}
	}
	return c, nil
}

func (v v2) Memory() (Memory, error) {
	return readMemory(v.dir, "memory.current", "file", "anon", "active_file")
}

func (v v2) Limit(bytes int64) error {
	text := strconv.FormatInt(bytes, 10)
	if bytes == Unlimited {
		text = "max"
	}
	// Anonymous memory must not be swapped out in favour of the page cache. The file is missing
	// if nothing can be swapped.
	if err := write(v.dir, "memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return write(v.dir, "memory.max", text)
}

// Reclaim asks the kernel to free all memory of the group. It is not an error if it frees less.
func (v v2) Reclaim() error {
	used, err := read(v.dir, "memory.current", number(""))
	if err != nil {
		return err
	}
	err = write(v.dir, "memory.reclaim", strconv.FormatInt(used, 10))
	switch {
	case errors.Is(err, unix.EAGAIN):
		return nil
	case errors.Is(err, os.ErrNotExist):
		return v.squeeze()
	}
	return err
}

// squeeze is Reclaim for kernels before 5.19. It slows down the processes of the group meanwhile.
func (v v2) squeeze() error {
	if err := write(v.dir, "memory.high", "0"); err != nil {
		return err
	}
	return write(v.dir, "memory.high", "max")
}
