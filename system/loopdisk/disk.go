// Package loopdisk makes private disks: file systems that nobody else uses, on block devices
// whose read counters are exact. A disk is an ext4 file system without a journal, on a loop device
// that reads its image with direct I/O and does not read ahead.
//
// When the process ends, the kernel removes everything except the mount, which CleanUp removes.
package loopdisk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Block is the block size of the file system in bytes. Files begin at multiples of it.
const Block = 4 << 10

const smallest = 16 << 20

// Disk is a mounted private disk.
type Disk struct {
	Dir    string // where it is mounted
	Name   string // device, such as loop0
	Number uint64 // device number
}

// Make mounts a new disk on the empty directory at. Its image, in the directory imageIn, takes
// all of its space at once.
func Make(at, imageIn string, bytes int64) (*Disk, error) {
	mkfs, err := findMkfs()
	if err != nil {
		return nil, err
	}
	image, err := newImage(imageIn, max(bytes, smallest))
	if err != nil {
		return nil, err
	}
	defer image.Close()
	device, err := attach(image)
	if err != nil {
		return nil, err
	}
	// Once mounted, the mount keeps the device attached; otherwise it is detached.
	defer device.Close()
	if err := format(mkfs, device); err != nil {
		return nil, err
	}
	d := &Disk{Dir: at, Name: filepath.Base(device.Name())}
	var st unix.Stat_t
	if err := unix.Fstat(int(device.Fd()), &st); err != nil {
		return nil, err
	}
	d.Number = uint64(st.Rdev)
	if err := d.mount(device.Name()); err != nil {
		return nil, err
	}
	// Some databases require an empty directory.
	if err := os.Remove(filepath.Join(at, "lost+found")); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// mkfsNames lists where mkfs.ext4 may be. The PATH of a user who became root may lack the
// directories of system programs.
var mkfsNames = []string{"mkfs.ext4", "/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"}

func findMkfs() (string, error) {
	for _, name := range mkfsNames {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("mkfs.ext4, which makes the file system of a private disk, was not found: install e2fsprogs")
}

// format makes the file system and initialises all of it immediately, so that nothing is
// initialised while reads are counted. It reserves no space for root, and returns none of
// the image's space to its file system.
//
// mkfs inherits the open device. Otherwise, an mkfs that outlives a killed getio might open the
// device by name when it already belongs to another process.
func format(mkfs string, device *os.File) error {
	cmd := exec.Command(mkfs, "-q", "-F", "-b", fmt.Sprint(Block), "-m", "0", "-i", "65536", "-O", "^has_journal",
		"-E", "lazy_itable_init=0,nodiscard", device.Name())
	cmd.ExtraFiles = []*os.File{device}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot make a file system on %s with %s (%w): %s", device.Name(), mkfs, err, strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// readAheadKB lets the kernel make one request of each read. With 0, it would read each page by
// itself. If a file seems to be read sequentially, the kernel reads the same amount ahead,
// unless the file is marked as read at random.
const readAheadKB = Block >> 10

// mostKB is the largest request. A request has up to 128 memory segments, so the kernel would
// split larger ones depending on where their pages are.
const mostKB = 128 * Block >> 10

func (d *Disk) mount(device string) error {
	queue := filepath.Join("/sys/block", d.Name, "queue")
	for _, limit := range []struct {
		name string
		kb   int
	}{
		{"max_sectors_kb", mostKB}, // makes the kernel reset read_ahead_kb
		{"read_ahead_kb", readAheadKB},
	} {
		if err := os.WriteFile(filepath.Join(queue, limit.name), fmt.Append(nil, limit.kb), 0); err != nil {
			return fmt.Errorf("cannot set the request size of the private disk (%w): run as root, where /sys is writable", err)
		}
	}
	err := mountExt4(device, d.Dir)
	switch {
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("cannot mount the private disk on %s (%w): use Linux 5.13 or newer", device, err)
	case err != nil:
		return fmt.Errorf("cannot mount the private disk on %s on %s (%w): run as root with CAP_SYS_ADMIN, with ext4 in the kernel", device, d.Dir, err)
	}
	return nil
}

// Close unmounts the disk and thereby removes it with all its files.
func (d *Disk) Close() error { return CleanUp(d.Dir) }

// CleanUp unmounts the disk if a process left one mounted on the directory.
func CleanUp(at string) error {
	err := unmount(at)
	switch {
	case err == nil, errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // nothing is mounted
		return nil
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("the private disk on %s is in use: end the processes that have its files open, and the next start removes it", at)
	}
	return fmt.Errorf("cannot unmount the private disk on %s: %w", at, err)
}
