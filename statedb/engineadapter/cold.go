package engineadapter

import (
	"getio/engine"
	"getio/engine/readpath"
	"getio/statedb/adapter"
)

// pageBytes is the size of a page of the page cache.
const pageBytes = 4096

// splitAbove is the size above which the kernel may split a read: a request to a loop device
// has up to 128 segments of memory.
const splitAbove = 128 * pageBytes

// ColdReads counts the table reads that would reach the disk if the page cache were empty
// before each key. Only the goroutine that looks up keys may call it.
type ColdReads struct {
	reads, pages int64
	large        int64         // reads that the kernel may split
	opens        int64         // reads that open a table
	seen         map[page]bool // pages read for the current key
}

type page struct {
	file   uint64
	number int64
}

func (c *ColdReads) Next() {
	if c.seen == nil {
		c.seen = map[page]bool{}
	}
	clear(c.seen)
}

func (c *ColdReads) Read(r engine.TableRead) {
	if r.Length == 0 || c.seen == nil {
		return // opening the table, before any key
	}
	before := c.pages
	for n := r.Offset / pageBytes; n <= (r.Offset+int64(r.Length)-1)/pageBytes; n++ {
		if p := (page{r.File, n}); !c.seen[p] {
			c.seen[p] = true
			c.pages++
		}
	}
	if c.pages > before {
		c.reads++
		if r.Component == readpath.TableOpen {
			c.opens++
		}
	}
	if (c.pages-before)*pageBytes > splitAbove {
		c.large++
	}
}

// Stats are the counts as getio understands them.
func (c *ColdReads) Stats() []adapter.Stat {
	return []adapter.Stat{
		adapter.Count(adapter.StatColdReads, c.reads), adapter.Count(adapter.StatColdLarge, c.large), adapter.Count(adapter.StatColdOpens, c.opens),
		{Name: adapter.StatColdBytes, Unit: "bytes", Value: float64(c.pages * pageBytes)},
	}
}
