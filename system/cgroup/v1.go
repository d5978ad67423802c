package cgroup

import (
	"errors"
	"strconv"
)

// v1 is a group in two hierarchies (Linux, Documentation/admin-guide/cgroup-v1).
type v1 struct{ memoryDir, blocksDir string }

// Account sets a limit that no device reaches, since without a limit reads are not counted.
func (v v1) Account(device uint64) error {
	return write(v.blocksDir, "blkio.throttle.read_iops_device", deviceName(device)+" 1000000000")
}

// Reads parses lines such as "7:0 Read 20000".
func (v v1) Reads(device uint64) (c Count, err error) {
	account := func(name string) (int64, error) {
		return read(v.blocksDir, name, number(deviceName(device)+" Read "))
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
