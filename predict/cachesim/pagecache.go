package cachesim

import (
	"maps"
	"math/bits"
	"slices"
	"sort"

	"getio/engine/readpath"
	"getio/numbers/wyrand"
)

// PageCache simulates Linux's page cache for files that are read with read calls. It simulates all pages or a sample.
type PageCache struct {
	pages  *Linux
	sample Sample
	// blocks means that reads are of a sample of blocks, so that their pages outside of the sample count too.
	blocks bool
	ahead  int64 // maximum readahead in pages; 0: files are opened with POSIX_FADV_RANDOM
	files  map[uint64]*openFile
}

// Sample is a spatial sample of pages: one in Sample groups of neighbouring pages, in a cache that is as many times smaller
// (SHARDS: Waldspurger et al., FAST '15). 1 samples all pages.
type Sample uint64

// groupPages is the number of neighbouring pages that are sampled together: few, so that a sample has its share of the hot
// pages with indexes, but so many that few blocks span two groups.
const groupPages = 16

// Has reports whether a page of a file is in the sample.
func (s Sample) Has(file uint64, page int64) bool {
	if s == 1 {
		return true
	}
	random := wyrand.New(file<<filePageBits | uint64(page)/groupPages)
	return random.Uint64()%uint64(s) == 0
}

// SampleOf returns the sample for each of a number of page caches of a size in bytes. Together they simulate 8 GiB at most,
// or 64 MiB each, which takes a hundredth as much memory.
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
	pages  int64  // length
	end    int64  // offset behind the last read
	// start, size and async are the last readahead window: its first page, its pages, and how many of them remain when the
	// marked page is reached and the next window is read.
	start, size, async int64
}

// filePageBits is the number of bits for a page in a file: files have at most 16 TiB.
const filePageBits = 32

// NewPageCache returns a sample of an empty page cache. bytes is the size of the complete cache. ahead is the maximum readahead
// in bytes; 0 if the library opens its files with POSIX_FADV_RANDOM.
func NewPageCache(bytes, ahead int64, files []File, sample Sample) *PageCache {
	c := &PageCache{pages: NewLinux(bytes / int64(sample)), sample: sample, ahead: ahead / readpath.PageBytes, files: map[uint64]*openFile{}}
	c.pages.scale = int64(sample)
	for _, f := range files {
		c.add(f.Number, (f.Bytes+readpath.PageBytes-1)/readpath.PageBytes)
	}
	return c
}

// NewPageCacheOfBlocks is NewPageCache for reads of sampled blocks: those that begin in a page of the sample.
func NewPageCacheOfBlocks(bytes, ahead int64, files []File, sample Sample) *PageCache {
	c := NewPageCache(bytes, ahead, files, sample)
	c.blocks = true
	return c
}

func (c *PageCache) add(file uint64, pages int64) *openFile {
	f := &openFile{number: file, first: uint64(len(c.files)) << filePageBits, pages: pages, end: -2 * readpath.PageBytes}
	c.files[file] = f
	return f
}

// Fill fills an empty cache with random pages of its files, as if each had been read once, in a random order. It
// approximates the cache of a machine that has run for a long time.
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

// permutation enumerates the numbers below n in a pseudo-random order. Multiplying by an odd number and xorshift are
// bijections below the next power of two; results of n or more are skipped.
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

// Used returns the bytes of the cached pages that are simulated.
func (c *PageCache) Used() int64 { return c.pages.Used() }

// Device counts the reads of a device.
type Device struct {
	Reads int64 // each of one page or several contiguous ones
	Pages int64
}

// Add returns the sum of both.
func (d Device) Add(e Device) Device { return Device{d.Reads + e.Reads, d.Pages + e.Pages} }

// Read reads n bytes at an offset of a file and returns the device reads that this causes. Contiguous missing pages are one
// read. Pages outside of the sample are ignored; the result is scaled up.
func (c *PageCache) Read(file uint64, offset int64, n int) (d Device) {
	if n <= 0 {
		return d
	}
	f := c.files[file]
	if f == nil {
		f = c.add(file, 1<<filePageBits)
	}
	from, to := offset/readpath.PageBytes, (offset+int64(n)-1)/readpath.PageBytes
	held := true
	reading := false // the previous page is missing, or outside of the sample: then a read has begun there
	for page := from; page <= to; page++ {
		if !c.sample.Has(file, page) {
			if reading = true; c.blocks && !held {
				d.Pages++ // the rest of a block is cached or missing with the pages before it
			}
			continue
		}
		at := f.first + uint64(page)
		if held = c.pages.Holds(at); c.ahead > 0 {
			c.ensure(f, page, to-page+1, &d)
		} else if !held {
			d.Pages++
			if !reading {
				d.Reads++
			}
		}
		if reading = !held; held && page == from && page == (f.end-1)/readpath.PageBytes { // the last read has accessed it
			continue
		}
		c.pages.Access(at, readpath.PageBytes)
	}
	f.end = offset + int64(n)
	return Device{d.Reads * int64(c.sample), d.Pages * int64(c.sample)}
}

// ensure loads the first of n pages of a read if it is missing, and reads ahead.
func (c *PageCache) ensure(f *openFile, page, n int64, d *Device) {
	if !c.pages.Holds(f.first + uint64(page)) {
		c.fetch(f, page, n, d)
	}
	if c.pages.Unmark(f.first + uint64(page)) {
		c.further(f, page, n, d)
	}
}

// load reads those of n pages that are missing from the device.
func (c *PageCache) load(f *openFile, from, n int64, d *Device) {
	reading := false
	for page := from; page < from+n; page++ {
		if !c.sample.Has(f.number, page) || c.pages.Holds(f.first+uint64(page)) {
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

// fetch loads the first of n pages of a read, which is missing, with what the kernel reads ahead (mm/readahead.c,
// page_cache_sync_ra).
func (c *PageCache) fetch(f *openFile, page, n int64, d *Device) {
	most, last := max(c.ahead, n), f.end/readpath.PageBytes
	switch cached := c.before(f, page, most); {
	case page == 0 || page == last || page == last+1: // start of a file or of a stream
		f.start, f.size = page, firstAhead(n, most)
		f.async = f.size - n
		if f.async <= 0 {
			f.async = f.size / 2
		}
	case cached <= n:
		c.load(f, page, n, d)
		return
	default: // a stream has left cached pages before this one
		if cached == page {
			cached *= 2
		}
		f.start, f.size, f.async = page, min(cached+n, most), 1
	}
	c.loadAhead(f, d)
}

// further reads the next readahead window when a read reaches the marked page (mm/readahead.c, page_cache_async_ra).
func (c *PageCache) further(f *openFile, page, n int64, d *Device) {
	most := max(c.ahead, n)
	if page == f.start+f.size-f.async {
		f.start += f.size
		f.size = nextAhead(f.size, most)
	} else {
		next := page + 1
		for next <= page+most && c.pages.Holds(f.first+uint64(next)) {
			next++
		}
		if next > page+most {
			return
		}
		f.start, f.size = next, nextAhead(next-page+n, most)
	}
	f.async = f.size
	c.loadAhead(f, d)
}

func (c *PageCache) loadAhead(f *openFile, d *Device) {
	mark := f.first + uint64(f.start+f.size-f.async)
	held := c.pages.Holds(mark)
	c.load(f, f.start, min(f.size, f.pages-f.start), d)
	if !held {
		c.pages.Mark(mark)
	}
}

// before returns the number of contiguous cached pages before a page, at most most.
func (c *PageCache) before(f *openFile, page, most int64) (n int64) {
	for n < min(page, most) && c.pages.Holds(f.first+uint64(page-n-1)) {
		n++
	}
	return n
}

// firstAhead returns the size of the first readahead window of a stream whose first read has n pages (get_init_ra_size).
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

// nextAhead returns the size of the window after one of the given size (get_next_ra_size).
func nextAhead(size, most int64) int64 {
	switch {
	case size < most/16:
		return 4 * size
	case size <= most/2:
		return 2 * size
	}
	return most
}
