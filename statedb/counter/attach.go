package counter

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"getio/system/device"
)

// Attach makes a counter for commands that read the files of an existing directory. The files stay
// where they are, and are not changed: their pages are dropped from the page cache. Others may use
// the disk, so only the group's reads are counted. Some file systems, such as btrfs and overlays,
// are on no block device that the kernel names.
func Attach(state, dir string) (*Counter, error) {
	disk, err := device.DiskOf(dir)
	if err != nil {
		return nil, fmt.Errorf("the kernel does not say which disk %s is on, so reads of it cannot be counted (%w): measure a copy on ext4 or XFS", dir, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return nil, fmt.Errorf("cannot examine %s: %w", dir, err)
	}
	c, h, err := prepare(state)
	if err != nil {
		return nil, err
	}
	c.Dir, c.on, c.block = dir, uint64(st.Dev), disk.Number
	if c.group, err = h.Make(c.name()); err == nil {
		err = c.account()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Private is a directory for the counter's commands, which Close removes.
func (c *Counter) Private() string { return c.run.Path }
