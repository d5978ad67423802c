package served

import "getio/engine"

// pageBytes is the unit of the page cache.
const pageBytes = 4096

// splitAbove is from where on the kernel may split a read, where pages do not lie side by
// side in memory: a request to a loop device has up to 128 pieces of memory.
const splitAbove = 128 * pageBytes

// coldReads counts the reads of files that would reach the disk if the page cache were empty
// before each key. What is called is called by the goroutine that looks keys up.
type coldReads struct {
	reads, pages int64
	large        int64         // reads that the kernel splits
	has          map[page]bool // of the key that is looked up
}

// page is one of a file's.
type page struct {
	file   uint64
	number int64
}

// next begins another key.
func (c *coldReads) next() {
	if c.has == nil {
		c.has = map[page]bool{}
	}
	clear(c.has)
}

// read is called for each read of a table.
func (c *coldReads) read(r engine.TableRead) {
	if r.Length == 0 || c.has == nil {
		return // read to open the table, before any key
	}
	before := c.pages
	for n := r.Offset / pageBytes; n <= (r.Offset+int64(r.Length)-1)/pageBytes; n++ {
		if p := (page{r.File, n}); !c.has[p] {
			c.has[p] = true
			c.pages++
		}
	}
	if c.pages > before {
		c.reads++
	}
	if (c.pages-before)*pageBytes > splitAbove {
		c.large++
	}
}
