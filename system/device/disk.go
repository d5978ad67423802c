package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Disk is the block device that a file system is on, with all its users.
type Disk struct {
	Name string // such as nvme0n1p1
	dir  string // of the kernel's figures
}

// DiskOf finds the device of the file system that path is in. Some file systems,
// such as tmpfs and btrfs, are on none that the kernel names.
func DiskOf(path string) (Disk, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Disk{}, fmt.Errorf("the device of %s is not known (%w)", path, err)
	}
	number := uint64(st.Dev)
	link := fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(number), unix.Minor(number))
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return Disk{}, fmt.Errorf("the device of %s is not known (%w)", path, err)
	}
	return Disk{Name: filepath.Base(dir), dir: dir}, nil
}

// Reads is how many reads the device has completed, whoever made them: the first
// figure of its statistics (Linux, Documentation/block/stat.rst).
func (d Disk) Reads() (int64, error) {
	data, err := os.ReadFile(filepath.Join(d.dir, "stat"))
	if err != nil {
		return 0, fmt.Errorf("the reads of device %s are not known (%w)", d.Name, err)
	}
	figures := strings.Fields(string(data))
	if len(figures) == 0 {
		return 0, fmt.Errorf("the statistics of device %s are empty", d.Name)
	}
	return strconv.ParseInt(figures[0], 10, 64)
}
