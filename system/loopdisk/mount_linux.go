package loopdisk

import "golang.org/x/sys/unix"

func mountExt4(device, at string) error {
	return unix.Mount(device, at, "ext4", unix.MS_NOATIME|unix.MS_NODEV|unix.MS_NOSUID, "noinit_itable,no_prefetch_block_bitmaps")
}

func unmount(at string) error { return unix.Unmount(at, unix.UMOUNT_NOFOLLOW) }
