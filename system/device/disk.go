package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Disk is the block device of a file system. Other processes may use it too.
type Disk struct {
	Name   string // such as nvme0n1p1
	Number uint64 // device number; of a partition, that of its disk, such as nvme0n1
	dir    string // in /sys
}

// DiskOf returns the device of the file system that holds path. For some file systems, such as
// tmpfs and btrfs, the kernel names none.
func DiskOf(path string) (Disk, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Disk{}, fmt.Errorf("cannot find the device of %s: %w", path, err)
	}
	number := uint64(st.Dev)
	link := fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(number), unix.Minor(number))
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return Disk{}, fmt.Errorf("cannot find the device of %s: %w", path, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		if number, err = deviceNumber(filepath.Dir(dir)); err != nil {
			return Disk{}, fmt.Errorf("cannot find the disk of %s: %w", path, err)
		}
	}
	return Disk{Name: filepath.Base(dir), Number: number, dir: dir}, nil
}

// deviceNumber reads the number of a device from its directory in /sys.
func deviceNumber(dir string) (uint64, error) {
	text, err := os.ReadFile(filepath.Join(dir, "dev"))
	if err != nil {
		return 0, err
	}
	var major, minor uint32
	if _, err := fmt.Sscanf(string(text), "%d:%d", &major, &minor); err != nil {
		return 0, fmt.Errorf("%q is not a device number", text)
	}
	return unix.Mkdev(major, minor), nil
}

// Reads returns the number of reads that the device has completed for all processes: the first
// field of its statistics (Linux, Documentation/block/stat.rst).
func (d Disk) Reads() (int64, error) {
	data, err := os.ReadFile(filepath.Join(d.dir, "stat"))
	if err != nil {
		return 0, fmt.Errorf("cannot read the statistics of device %s: %w", d.Name, err)
	}
	reads, _, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	return strconv.ParseInt(reads, 10, 64)
}
