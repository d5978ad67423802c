package cachesim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
	"getio/numbers/wyrand"
)

// read reads pages of a file, some of them far more often than others, and returns what the device does for the second half.
func read(c *PageCache, pages int64, reads int) (d Device) {
	random := wyrand.New(3)
	for i := range reads {
		at := int64(math.Pow(random.Float64(), 2) * float64(pages*readpath.PageBytes-5000))
		if did := c.Read(1, at, 5000); 2*i >= reads {
			d = d.Add(did)
		}
	}
	return d
}

// TestSampledPageCache: a sample of the pages reads about as much as all of them.
func TestSampledPageCache(t *testing.T) {
	const pages, reads = 1 << 19, 1_000_000
	files := []File{{Number: 1, Bytes: pages * readpath.PageBytes}}
	whole, part := NewPageCache(pages/4*readpath.PageBytes, 0, files, 1), NewPageCache(pages/4*readpath.PageBytes, 0, files, 16)
	whole.Fill(wyrand.New(1))
	part.Fill(wyrand.New(1))
	assert.InEpsilon(t, whole.Used(), 16*part.Used(), 0.01)
	want, got := read(whole, pages, reads), read(part, pages, reads)
	assert.InEpsilon(t, want.Reads, got.Reads, 0.02)
	assert.InEpsilon(t, want.Pages, got.Pages, 0.02)
	assert.Less(t, want.Reads, want.Pages)
}

// TestFill: a cache for all pages of its files is full of them, and a smaller one has each with the same chance.
func TestFill(t *testing.T) {
	files := []File{{Number: 4, Bytes: 10*readpath.PageBytes + 1}, {Number: 2, Bytes: 0}, {Number: 9, Bytes: 300 * readpath.PageBytes}}
	all := NewPageCache(1<<30, 0, files, 1)
	all.Fill(wyrand.New(1))
	assert.EqualValues(t, 311*readpath.PageBytes, all.Used())
	assert.Zero(t, all.Read(4, 0, 11*readpath.PageBytes).Add(all.Read(9, 0, 300*readpath.PageBytes)))
	assert.Equal(t, Device{Reads: 1, Pages: 1}, all.Read(9, 300*readpath.PageBytes, 1), "a page that the file did not have")
	held := 0
	for seed := range uint64(1000) {
		c := NewPageCache(31*readpath.PageBytes, 0, files, 1)
		c.Fill(wyrand.New(seed))
		assert.EqualValues(t, 31*readpath.PageBytes, c.Used())
		if c.Read(9, 7*readpath.PageBytes, 1) == (Device{}) {
			held++
		}
	}
	assert.InDelta(t, 100, held, 30)
	none := NewPageCache(1<<20, 0, nil, 1)
	none.Fill(wyrand.New(1))
	assert.Zero(t, none.Used())
}

// TestFillIsRandom: that a page is held says nothing of its neighbour.
func TestFillIsRandom(t *testing.T) {
	for _, pages := range []int64{13_312, 262_144, 1_000_003} {
		for _, share := range []int64{2, 4} {
			c := NewPageCache(pages/share*readpath.PageBytes, 0, []File{{Number: 1, Bytes: pages * readpath.PageBytes}}, 1)
			c.Fill(wyrand.New(1))
			both := 0
			for page := range uint64(pages - 1) {
				if c.pages.Holds(page) && c.pages.Holds(page+1) {
					both++
				}
			}
			assert.InDelta(t, 1/float64(share*share), float64(both)/float64(pages), 0.02, "%d pages, one in %d", pages, share)
		}
	}
}

// TestLongReadsOfASample: a read of many missing pages is one read of the device, however many groups it crosses.
func TestLongReadsOfASample(t *testing.T) {
	files := []File{{Number: 1, Bytes: 1 << 36}}
	c := NewPageCache(1<<30, 0, files, 8)
	var all Device
	const reads = 4000
	for i := range int64(reads) {
		all = all.Add(c.Read(1, i*1000*readpath.PageBytes, 300*readpath.PageBytes))
	}
	assert.InEpsilon(t, reads, all.Reads, 0.1)
	assert.InEpsilon(t, 300*reads, all.Pages, 0.1)
}

// TestDeviceReadsOfNeighbours: missing neighbours are one read of the device, and pages between them that are held divide it.
func TestDeviceReadsOfNeighbours(t *testing.T) {
	c := NewPageCache(1<<20, 0, nil, 1)
	assert.Equal(t, Device{Reads: 1, Pages: 1}, c.Read(1, 5*readpath.PageBytes, readpath.PageBytes))
	assert.Equal(t, Device{Reads: 2, Pages: 4}, c.Read(1, 3*readpath.PageBytes+17, 4*readpath.PageBytes))
	assert.Zero(t, c.Read(1, 4*readpath.PageBytes, 1))
	assert.Zero(t, c.Read(1, 0, 0))
}
