package blocktrace

import "golang.org/x/sys/unix"

// mount mounts tracefs on the directory at.
func mount(at string) error {
	return unix.Mount("tracefs", at, "tracefs", unix.MS_NODEV|unix.MS_NOSUID|unix.MS_NOEXEC, "")
}

// unmount unmounts tracefs, also while a process that was just started holds the trace open.
func unmount(at string) error { return unix.Unmount(at, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH) }
