package counter

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/system/pagecache"
)

// Empty empties the page cache of all files on the disk, and tells how many bytes were
// in it. It is an error if something stays.
func (c *Counter) Empty() (found int64, err error) {
	left, err := c.files.Drop()
	found = left.Found
	// What stays is mapped. Reclaiming the group's memory takes out all that is left, also
	// what several processes have mapped, but takes a hundred times longer.
	for _, out := range []func() error{c.pageOut, c.group.Reclaim} {
		if err != nil || left.Stayed == 0 {
			return found, err
		}
		if err := out(); err != nil {
			return found, err
		}
		left, err = c.files.Drop()
	}
	if err == nil && left.Stayed > 0 {
		err = fmt.Errorf("%s of the files on the private disk stay in memory, most of them of %s: a command that locks them there cannot be measured with an empty page cache", humanize.IBytes(uint64(left.Stayed)), left.Most)
	}
	return found, err
}

// pageOut takes the disk's files out of the mappings of the group's processes.
func (c *Counter) pageOut() error { return c.ofEach(pagecache.PageOut) }

// readAsAsked keeps the kernel from reading ahead of what the group's processes ask for, of
// the files that they have open now.
func (c *Counter) readAsAsked() error { return c.ofEach(pagecache.ReadAsAsked) }

// ofEach does something with each process of the group.
func (c *Counter) ofEach(do func(process int, device uint64) error) error {
	list, err := c.group.Processes()
	if err != nil {
		return err
	}
	for _, process := range list {
		if err := do(process, c.disk.Number); err != nil {
			return err
		}
	}
	return nil
}
