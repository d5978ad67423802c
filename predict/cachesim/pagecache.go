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

// SampleOf returns a sample of each of so many page caches of so many bytes, with which all of them take little memory.
func SampleOf(bytes int64, caches int) Sample {
	const mostExact, mostTogether, least = 1 << 30, 8 << 30, 64 << 20
	most := min(mostExact, max(mostTogether/int64(max(caches, 1)), least))
	s := Sample(1)
	for bytes/int64(s) > most {
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
	order := newPermutation(uint64(all), random)
	for range held {
		page := int64(order.next())
		group := sort.Search(len(ends), func(n int) bool { return page < ends[n] })
		if group > 0 {
			page -= ends[group-1]
		}
		c.pages.Access(firsts[group]+uint64(page), readpath.PageBytes)
	}
}

// permutation visits the numbers below n in a random order. Below the next power of two, multiplication with an odd number
// and a shifted exclusive or map each number to another one; what is not below n is passed over.
type permutation struct {
	n, i, mask uint64
	shift      uint
	odd        [3]uint64
}

func newPermutation(n uint64, random *wyrand.Random) *permutation {
	width := uint(max(bits.Len64(n-1), 1))
	p := &permutation{n: n, mask: 1<<width - 1, shift: width/2 + 1}
	for i := range p.odd {
		p.odd[i] = random.Uint64() | 1
	}
	return p
}

func (p *permutation) next() uint64 {
	for {
		x := p.i
		p.i++
		for _, odd := range p.odd {
			x = x * odd & p.mask
			x ^= x >> p.shift
		}
		if x < p.n {
			return x
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
	reading := false // the page before is missing, or not of the sample, which then counts the read where it begins
	for page := from; page <= to; page++ {
		held := true
		switch {
		case !sample.Has(file, page):
			reading = true
			continue
		case c.ahead > 0:
			c.ensure(f, page, to-page+1, sample, &d)
		default:
			if held = c.pages.Holds(f.first + uint64(page)); !held {
				d.Pages++
				if !reading {
					d.Reads++
				}
			}
		}
		reading = !held
		if page == from && page == (f.end-1)/readpath.PageBytes && held { // the last read has accessed it
			continue
		}
		c.pages.Access(f.first+uint64(page), readpath.PageBytes)
	}
	f.end = offset + int64(n)
	return Device{d.Reads * int64(c.sample), d.Pages * int64(c.sample)}
}

// ensure loads a page, of which a read wants n from here on, and reads ahead.
func (c *PageCache) ensure(f *openFile, page, n int64, sample Sample, d *Device) {
	if !c.pages.Holds(f.first + uint64(page)) {
		c.fetch(f, page, n, sample, d)
	}
	if c.pages.Unmark(f.first + uint64(page)) {
		c.further(f, page, n, sample, d)
	}
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
	switch cached := c.before(f, page, most); {
	case page == 0 || page == last || page == last+1: // a file or a stream begins
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
func (c *PageCache) before(f *openFile, page, most int64) (n int64) {
	for n < min(page, most) && c.pages.Holds(f.first+uint64(page-n-1)) {
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
