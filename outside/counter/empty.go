package counter

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/system/pagecache"
)

// Empty empties the page cache of all files on the disk and returns how many bytes were in
// it. It is an error if some stay.
func (c *Counter) Empty() (found int64, err error) {
	left, err := c.files.Drop()
	found = left.Found
	// Mapped pages stay. Reclaiming the group's memory removes even those that several
	// processes map, but is a hundred times slower.
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
		err = fmt.Errorf("%s of files on the private disk stays in memory, mostly of %s: a command that locks them there cannot be measured with an empty page cache", humanize.IBytes(uint64(left.Stayed)), left.Most)
	}
	return found, err
}

// pageOut unmaps the disk's files from the group's processes.
func (c *Counter) pageOut() error { return c.ofEach(pagecache.PageOut) }

// readAsAsked turns readahead off for the files that the group's processes have open now.
func (c *Counter) readAsAsked() error { return c.ofEach(pagecache.DisableReadahead) }

// ofEach calls do for each process of the group.
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
