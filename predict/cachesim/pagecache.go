package cachesim

import (
	"maps"
	"math/bits"
	"slices"
	"sort"

	"getio/engine/readpath"
	"getio/numbers/wyrand"
)

// PageCache is Linux's page cache of the files that a library reads with read calls, or a sample of it.
type PageCache struct {
	pages  *Linux
	sample Sample
	ahead  int64 // pages that the kernel reads ahead at most; 0: files are opened with POSIX_FADV_RANDOM
	files  map[uint64]*openFile
}

// Sample is what is simulated of a large page cache: one of so many groups of neighbouring pages, in as much less memory
// (SHARDS: Waldspurger et al., FAST '15). 1 is all of it.
type Sample uint64

// groupPages are sampled or not together, so that neighbours mostly are.
const groupPages = 256

// Has reports whether a page of a file is one of the sample.
func (s Sample) Has(file uint64, page int64) bool {
	if s == 1 {
		return true
	}
	random := wyrand.New(file<<mostFilePages | uint64(page)/groupPages)
	return random.Uint64()%uint64(s) == 0
}

// SampleOf returns a sample of a page cache of so many bytes that takes little memory.
func SampleOf(bytes int64) Sample {
	const mostExact = 1 << 30
	s := Sample(1)
	for bytes/int64(s) > mostExact {
		s *= 2
	}
	return s
}

// File is a file that a library reads.
type File struct {
	Number uint64
	Bytes  int64
}

// openFile is the state of a file that a library keeps open (struct file_ra_state).
type openFile struct {
	number uint64
	first  uint64 // number of its first page in the cache
	pages  int64  // that it has
	end    int64  // of the last read, in bytes
	// begun, size and async describe the pages that were read ahead last: the first, how many, and how many of them begin
	// with a marked one, at which the kernel reads further ahead.
	begun, size, async int64
}

// mostFilePages bounds the pages of a file: 16 TiB.
const mostFilePages = 32 // bits

// NewPageCache returns a sample of an empty page cache of so many bytes for files. ahead is how many bytes the kernel reads
// ahead at most where reads seem to follow one another; 0 if it is told that files are read at random.
func NewPageCache(bytes, ahead int64, files []File, sample Sample) *PageCache {
	c := &PageCache{pages: NewLinux(bytes / int64(sample)), sample: sample, ahead: ahead / readpath.PageBytes, files: map[uint64]*openFile{}}
	c.pages.share = int64(sample)
	for _, f := range files {
		c.add(f.Number, (f.Bytes+readpath.PageBytes-1)/readpath.PageBytes)
	}
	return c
}

func (c *PageCache) add(file uint64, pages int64) *openFile {
	f := &openFile{number: file, first: uint64(len(c.files)) << mostFilePages, pages: pages, end: -2 * readpath.PageBytes}
	c.files[file] = f
	return f
}

// Fill fills an empty cache with pages of its files, each with the same chance and read once, in a random order. So begins
// what has run for long, as far as that can be known without making its reads.
func (c *PageCache) Fill(random *wyrand.Random) {
	var firsts []uint64 // pages of groups
	var ends []int64    // of these, cumulated
	all := int64(0)
	for _, number := range slices.Sorted(maps.Keys(c.files)) {
		f := c.files[number]
		for page := int64(0); page < f.pages; page += groupPages {
			if c.sample.Has(number, page) {
				all += min(groupPages, f.pages-page)
				firsts, ends = append(firsts, f.first+uint64(page)), append(ends, all)
			}
		}
	}
	held := min(all, c.pages.capacity/readpath.PageBytes)
	if held == 0 {
		return
	}
	step := coprime(all, random)
	for i, page := int64(0), int64(0); i < held; i++ {
		group := sort.Search(len(ends), func(n int) bool { return page < ends[n] })
		in := page
		if group > 0 {
			in -= ends[group-1]
		}
		c.pages.Access(firsts[group]+uint64(in), readpath.PageBytes)
		if page += step; page >= all {
			page -= all
		}
	}
}

// coprime returns a random number below n that has no divisor in common with it: multiples of it visit all numbers below n
// in an order without neighbours.
func coprime(n int64, random *wyrand.Random) int64 {
	for {
		step, a, b := int64(random.Below(uint64(n)))|1, n, int64(0)
		for b = step; b != 0; {
			a, b = b, a%b
		}
		if a == 1 {
			return step % n
		}
	}
}

// Used returns the bytes that it holds.
func (c *PageCache) Used() int64 { return c.pages.Used() }

// Device is what a device does for reads of files.
type Device struct {
	Reads int64 // of neighbouring pages each
	Pages int64
}

// Add returns the sum of both.
func (d Device) Add(e Device) Device { return Device{d.Reads + e.Reads, d.Pages + e.Pages} }

// Read reads n bytes at an offset of a file, and returns what the device does for it. Neighbouring pages that are missing
// are one read. Pages that the sample lacks are left out, and each of its own stands for as many as the sample is smaller.
func (c *PageCache) Read(file uint64, offset int64, n int) Device {
	return c.read(file, offset, n, c.sample)
}

// ReadBlock is Read of a block that is in a sample of blocks if its first page is in that of the pages. All of its pages are
// in the sample then.
func (c *PageCache) ReadBlock(file uint64, offset int64, n int) Device {
	return c.read(file, offset, n, 1)
}

func (c *PageCache) read(file uint64, offset int64, n int, sample Sample) (d Device) {
	if n <= 0 {
		return d
	}
	f := c.files[file]
	if f == nil {
		f = c.add(file, 1<<mostFilePages)
	}
	from, to := offset/readpath.PageBytes, (offset+int64(n)-1)/readpath.PageBytes
	for page := from; page <= to; page++ {
		if !sample.Has(file, page) {
			continue
		}
		if !c.pages.Holds(f.first + uint64(page)) {
			c.fetch(f, page, to-page+1, sample, &d)
		}
		if c.ahead > 0 && c.pages.Unmark(f.first+uint64(page)) {
			c.further(f, page, to-page+1, sample, &d)
		}
		if page == (f.end-1)/readpath.PageBytes { // the last read has accessed it
			continue
		}
		c.pages.Access(f.first+uint64(page), readpath.PageBytes)
	}
	f.end = offset + int64(n)
	return Device{d.Reads * int64(c.sample), d.Pages * int64(c.sample)}
}

// load reads the missing ones of n pages of the sample from the device.
func (c *PageCache) load(f *openFile, from, n int64, sample Sample, d *Device) {
	reading := false
	for page := from; page < from+n; page++ {
		if !sample.Has(f.number, page) || c.pages.Holds(f.first+uint64(page)) {
			reading = false
			continue
		}
		if !reading {
			d.Reads++
		}
		reading = true
		d.Pages++
		c.pages.Add(f.first+uint64(page), readpath.PageBytes)
	}
}

// fetch loads a missing page, of which a read wants n from here on, and what the kernel reads ahead then (mm/readahead.c,
// page_cache_sync_ra).
func (c *PageCache) fetch(f *openFile, page, n int64, sample Sample, d *Device) {
	most, last := max(c.ahead, n), f.end/readpath.PageBytes
	switch cached := c.before(f, page); {
	case c.ahead == 0:
		c.load(f, page, n, sample, d)
		return
	case page == 0 || n > c.ahead || page == last || page == last+1: // a file or a stream begins
		f.begun, f.size = page, firstAhead(n, most)
		f.async = f.size - n
		if f.async <= 0 {
			f.async = f.size / 2
		}
	case cached <= n:
		c.load(f, page, n, sample, d)
		return
	default: // a stream has left pages before this one
		if cached == page {
			cached *= 2
		}
		f.begun, f.size, f.async = page, min(cached+n, most), 1
	}
	c.loadAhead(f, sample, d)
}

// further reads further ahead when a read reaches the marked page (mm/readahead.c, page_cache_async_ra).
func (c *PageCache) further(f *openFile, page, n int64, sample Sample, d *Device) {
	most := max(c.ahead, n)
	if page == f.begun+f.size-f.async {
		f.begun += f.size
		f.size = nextAhead(f.size, most)
	} else {
		next := page + 1
		for next <= page+most && c.pages.Holds(f.first+uint64(next)) {
			next++
		}
		if next > page+most {
			return
		}
		f.begun, f.size = next, nextAhead(next-page+n, most)
	}
	f.async = f.size
	c.loadAhead(f, sample, d)
}

func (c *PageCache) loadAhead(f *openFile, sample Sample, d *Device) {
	mark := f.first + uint64(f.begun+f.size-f.async)
	held := c.pages.Holds(mark)
	c.load(f, f.begun, min(f.size, f.pages-f.begun), sample, d)
	if !held {
		c.pages.Mark(mark)
	}
}

// before returns how many pages directly before one the cache holds, as far as the kernel looks.
func (c *PageCache) before(f *openFile, page int64) (n int64) {
	for n < min(page, c.ahead) && c.pages.Holds(f.first+uint64(page-n-1)) {
		n++
	}
	return n
}

// firstAhead returns how many pages the kernel reads when a stream begins with a read of n (get_init_ra_size).
func firstAhead(n, most int64) int64 {
	size := int64(1) << bits.Len64(uint64(n-1))
	switch {
	case size <= most/32:
		return 4 * size
	case size <= most/4:
		return 2 * size
	}
	return most
}

// nextAhead returns how many pages follow that many (get_next_ra_size).
func nextAhead(size, most int64) int64 {
	switch {
	case size < most/16:
		return 4 * size
	case size <= most/2:
		return 2 * size
	}
	return most
}
