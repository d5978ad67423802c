package counter

import (
	"errors"
	"fmt"

	"getio/engine/readpath"
	"getio/system/blocktrace"
	"getio/system/leftover"
	"getio/system/loopdisk"
	"getio/system/pagecache"
)

// Cold holds lookups made one after another, each with an empty page cache.
type Cold struct {
	Lookups []Lookup
	// Total is what was read during the lookups, without reads between them.
	Total Count
	// Cached is the number of bytes that the lookups left in the page cache. All other reads
	// bypassed it.
	Cached int64

	pages []pagecache.Extent // those read together, in a file, or in the device as inode 0
	ends  []int              // end of each lookup in pages
	// traced is the number of bytes in the trace. Without a trace, pages come from the page cache.
	traced  int64
	noTrace error
}

// Lookup is what one lookup read.
type Lookup struct {
	Reads, Bytes int64
	// Meta counts the reads of the file system's metadata. It needs a trace.
	Meta int64
}

// Cold makes lookups, do(0) to do(n-1), each with an empty page cache. The commands must be idle.
// If lookups are many and small, emptying the cache takes most of the time. prepare(i), if not nil,
// runs before the cache is emptied for lookup i; its reads are not counted.
func (c *Counter) Cold(n int, prepare, do func(i int) error) (*Cold, error) {
	p := &Cold{noTrace: c.startTrace()}
	if p.noTrace != nil && !errors.Is(p.noTrace, blocktrace.ErrUnavailable) {
		return nil, p.noTrace
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	for i := range n {
		if prepare != nil {
			if err := prepare(i); err != nil {
				return nil, err
			}
			if err := c.begin(); err != nil {
				return nil, err
			}
		}
		if err := c.lookup(p, i, do); err != nil {
			return nil, err
		}
		cached, err := c.Empty()
		if err != nil {
			return nil, err
		}
		p.Cached += cached
	}
	return p, nil
}

// begin turns readahead off and empties the page cache.
func (c *Counter) begin() error {
	if err := c.readAsAsked(); err != nil {
		return err
	}
	_, err := c.Empty()
	return err
}

func (c *Counter) startTrace() (err error) {
	if c.trace != nil {
		return nil
	}
	return leftover.Make(func() error {
		c.trace, err = blocktrace.Start(c.traceDir(), c.name(), c.disk.Number)
		return err
	})
}

// lookup makes lookup i and adds what it read.
func (c *Counter) lookup(p *Cold, i int, do func(i int) error) (err error) {
	if c.trace != nil { // drop what was read before
		if err := c.trace.Discard(); err != nil {
			return err
		}
	}
	before, err := c.Count()
	if err != nil {
		return err
	}
	if err := do(i); err != nil {
		return err
	}
	after, err := c.Count()
	if err != nil {
		return err
	}
	read := after.Sub(before)
	l := Lookup{Reads: read.Device.Reads, Bytes: read.Device.Bytes}
	if c.trace != nil {
		requests, err := c.trace.Read(nil)
		if err != nil {
			return err
		}
		l.Meta = p.addTraced(requests)
	} else { // the page cache was empty before the lookup
		resident, err := c.files.Resident()
		if err != nil {
			return err
		}
		p.pages = append(p.pages, resident...)
	}
	p.Lookups = append(p.Lookups, l)
	p.ends = append(p.ends, len(p.pages))
	p.Total.Device = p.Total.Device.Add(read.Device)
	p.Total.Group.Reads += read.Group.Reads
	p.Total.Group.Bytes += read.Group.Bytes
	return nil
}

// addTraced adds the pages of requests and returns how many requests read metadata.
func (p *Cold) addTraced(requests []blocktrace.Request) (meta int64) {
	const sectors = loopdisk.Block / 512
	for _, r := range requests {
		p.traced += r.Sectors * 512
		if r.Meta {
			meta++
		}
		first, end := r.Sector/sectors, (r.Sector+r.Sectors+sectors-1)/sectors
		p.pages = append(p.pages, pagecache.Extent{First: first, Pages: end - first})
	}
	return meta
}

// Checks compares the counts of the lookups with one another.
func (p *Cold) Checks() readpath.Checks {
	checks := readpath.Checks{p.Total.Check()}
	if p.noTrace == nil {
		checks = append(checks, sameBytes("trace", "the trace of requests", p.traced, p.Total.Device.Bytes))
	}
	return checks
}

// Check compares the group's count with the device's.
func (n Count) Check() readpath.Check {
	return sameBytes("group", "the group of the commands", n.Group.Bytes, n.Device.Bytes)
}

func sameBytes(name, by string, bytes, device int64) readpath.Check {
	return readpath.Check{Name: name, OK: bytes == device, Detail: fmt.Sprintf("%s counted %d bytes read, the device %d", by, bytes, device)}
}
