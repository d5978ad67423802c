// Package loopdisk makes private disks: file systems that nobody else uses, on block
// devices whose counters tell exactly what was read. A disk is an ext4 without a
// journal on a loop device, which reads its image with direct I/O, and ahead of a read no more than it asks for.
//
// Its parts are made so that the kernel takes them back when the process ends, but for
// the mount, which CleanUp takes back.
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

// Block is the block of the file system, in bytes: files begin at multiples of it.
const Block = 4 << 10

// smallest is the size of the smallest disk.
const smallest = 16 << 20

// Disk is a mounted private disk.
type Disk struct {
	Dir    string // where it is mounted
	Name   string // of its device, such as loop0
	Number uint64 // of its device
}

// Make mounts a new disk of a size on the directory at, which is there and empty. Its image
// is in another directory, and takes up all of its space from the beginning.
func Make(at, imageIn string, bytes int64) (*Disk, error) {
	mkfs, err := findMkfs()
	if err != nil {
		return nil, err
	}
	if bytes < smallest {
		bytes = smallest
	}
	image, err := newImage(imageIn, bytes)
	if err != nil {
		return nil, err
	}
	defer image.Close()
	device, err := attach(image)
	if err != nil {
		return nil, err
	}
	// The mount holds it from then on; without one it is detached.
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
	// Some databases want an empty directory.
	if err := os.Remove(filepath.Join(at, "lost+found")); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// mkfsNames are where mkfs.ext4 is looked for. The path of a user who became root may
// lack the directories of system programs.
var mkfsNames = []string{"mkfs.ext4", "/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"}

func findMkfs() (string, error) {
	for _, name := range mkfsNames {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("mkfs.ext4 is not here, which makes the file system of a private disk: install e2fsprogs")
}

// format makes the file system whole at once: nothing of it is left to be initialised
// while reads are counted. No space is kept back for root, and none is given back to the
// image's file system.
//
// mkfs has the device open from its birth. Without that, one that outlives a killed getio
// may open it by its name when it is already another's.
func format(mkfs string, device *os.File) error {
	cmd := exec.Command(mkfs, "-q", "-F", "-b", fmt.Sprint(Block), "-m", "0", "-i", "65536", "-O", "^has_journal",
		"-E", "lazy_itable_init=0,nodiscard", device.Name())
	cmd.ExtraFiles = []*os.File{device}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("no file system could be made on %s by %s (%w): %s", device.Name(), mkfs, err, strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// readAheadKB lets the kernel read what is asked for in one request. With 0 it would read each
// page of it by itself. Of a file that seems to be read from end to end it reads as much
// ahead as was asked for, unless the file is marked as read at random.
const readAheadKB = Block >> 10

// mostKB is how much one request has at most. The kernel gives a request up to 128 segments of
// memory, so that larger ones would be split by where their pages happen to lie.
const mostKB = 128 * Block >> 10

func (d *Disk) mount(device string) error {
	queue := filepath.Join("/sys/block", d.Name, "queue")
	for _, limit := range []struct {
		name string
		kb   int
	}{
		{"max_sectors_kb", mostKB}, // has the kernel choose anew how much to read ahead
		{"read_ahead_kb", readAheadKB},
	} {
		if err := os.WriteFile(filepath.Join(queue, limit.name), fmt.Append(nil, limit.kb), 0); err != nil {
			return fmt.Errorf("requests of the private disk cannot be made as large as what is asked for (%w): run as root, where /sys can be written", err)
		}
	}
	err := unix.Mount(device, d.Dir, "ext4", unix.MS_NOATIME|unix.MS_NODEV|unix.MS_NOSUID, "noinit_itable,no_prefetch_block_bitmaps")
	switch {
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("the private disk on %s cannot be mounted (%w): it takes Linux 5.13 or newer", device, err)
	case err != nil:
		return fmt.Errorf("the private disk on %s cannot be mounted on %s (%w): it takes root with CAP_SYS_ADMIN, and ext4 in the kernel", device, d.Dir, err)
	}
	return nil
}

// Close unmounts the disk, and all that is on it is gone.
func (d *Disk) Close() error { return CleanUp(d.Dir) }

// CleanUp unmounts the disk that a process left mounted on a directory, if there is one.
func CleanUp(at string) error {
	err := unix.Unmount(at, unix.UMOUNT_NOFOLLOW)
	switch {
	case err == nil, errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // nothing is mounted
		return nil
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("the private disk on %s is in use: end what has files of it open, and the next start removes it", at)
	}
	return fmt.Errorf("the private disk on %s cannot be unmounted: %w", at, err)
}
