package loopdisk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// newImage creates an unnamed file, which the kernel removes once no process has it open.
func newImage(in string, bytes int64) (*os.File, error) {
	fd, err := unix.Open(in, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR):
		return nil, fmt.Errorf("the file system of %s does not support unnamed files, which a private disk needs: choose a directory on ext4, XFS or tmpfs", in)
	case err != nil:
		return nil, fmt.Errorf("cannot make a private disk in %s (%w): choose a writable directory", in, err)
	}
	image := os.NewFile(uintptr(fd), in)
	// Allocate all space now, so that a full disk is not reported later as some other error.
	if err = unix.Fallocate(fd, 0, 0, bytes); err == nil {
		return image, nil
	}
	image.Close()
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EFBIG) || errors.Is(err, unix.EDQUOT) {
		var st unix.Statfs_t
		unix.Statfs(in, &st)
		return nil, fmt.Errorf("%s has no room for a private disk of %s (%s are free): choose a smaller size, or a directory with more room", in, humanize.IBytes(uint64(bytes)), humanize.IBytes(st.Bavail*uint64(st.Bsize)))
	}
	return nil, fmt.Errorf("cannot allocate a private disk in %s (%w): choose a directory on ext4, XFS or tmpfs", in, err)
}

// control is the device that hands out loop devices.
var control = "/dev/loop-control"

// attach attaches the image to a loop device. The kernel detaches it once it is neither open nor
// mounted.
func attach(image *os.File) (*os.File, error) {
	c, err := os.OpenFile(control, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no loop devices, since %s is missing: load the module with 'modprobe loop', or give the container access to them", control)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use loop devices (%w): run as root, and give a container access to them", err)
	}
	defer c.Close()
	for {
		n, err := unix.IoctlRetInt(int(c.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, fmt.Errorf("no free loop device (%w): detach one with 'losetup -d', or run as root", err)
		}
		device, err := configure(fmt.Sprintf("/dev/loop%d", n), image)
		if !errors.Is(err, unix.EBUSY) { // another process was quicker
			return device, err
		}
	}
}

func configure(path string, image *os.File) (*os.File, error) {
	device, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open a loop device (%w): give the container access to /dev/loop*", err)
	}
	config := unix.LoopConfig{
		Fd:   uint32(image.Fd()),
		Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_DIRECT_IO},
	}
	if err := unix.IoctlLoopConfigure(int(device.Fd()), &config); err != nil {
		device.Close()
		return nil, fmt.Errorf("cannot attach %s (%w): run as root, on Linux 5.8 or newer", path, err)
	}
	if err := requireDirect(filepath.Join("/sys/block", filepath.Base(path)), image.Name()); err != nil {
		device.Close()
		return nil, err
	}
	return device, nil
}

// requireDirect returns an error if a loop device reads its image through the page cache: pages
// would be in memory twice, and reads served from there would count as reads of the device.
func requireDirect(sys, imageIn string) error {
	dio, err := os.ReadFile(filepath.Join(sys, "loop/dio"))
	if err != nil || strings.TrimSpace(string(dio)) != "1" {
		return fmt.Errorf("the file system of %s does not support direct I/O, which a private disk needs: choose a directory on ext4, XFS or tmpfs", imageIn)
	}
	return nil
}

func mountExt4(device, at string) error {
	return unix.Mount(device, at, "ext4", unix.MS_NOATIME|unix.MS_NODEV|unix.MS_NOSUID, "noinit_itable,no_prefetch_block_bitmaps")
}

func unmount(at string) error { return unix.Unmount(at, unix.UMOUNT_NOFOLLOW) }
