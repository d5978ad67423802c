package watch

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/watch/probe"
)

// TestAhead: reads and prefetches of a file, of which each fetches from the device what is not in memory yet and some
// pages behind it, against a page cache that knows each page.
func TestAhead(t *testing.T) {
	page := int64(os.Getpagesize())
	const pages = 400
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		inMemory, unread := map[int64]bool{}, map[int64]bool{}
		fetch := func(from, n int64) (bytes int64) { // of the next pages that are not in memory
			for ; n > 0 && from < pages; from++ {
				if !inMemory[from] {
					inMemory[from], unread[from] = true, true
					bytes += page
					n--
				}
			}
			return bytes
		}
		var a ahead
		for at := int64(0); at < pages; {
			length := 1 + random.Int64N(3)
			if random.IntN(8) == 0 {
				r := &probe.Read{Prefetch: true, Offset: at * page, Length: 16 * page}
				for i := at; i < min(at+16, pages); i++ {
					if !inMemory[i] {
						r.DeviceBytes += fetch(i, 1)
					}
				}
				assert.False(t, a.take(r))
			}
			was := false
			r := &probe.Read{Offset: at * page, Length: length * page}
			for i := at; i < at+length; i++ {
				was = was || unread[i]
				if !inMemory[i] {
					inMemory[i] = true
					r.DeviceBytes += page
				}
				delete(unread, i)
			}
			if random.IntN(4) == 0 {
				r.DeviceBytes += fetch(at+length, random.Int64N(8))
			}
			assert.Equal(t, was, a.take(r), "seed %d, page %d", seed, at)
			at += length
		}
		for _, in := range a.files {
			assert.LessOrEqual(t, len(in.spans), mostSpans)
		}
	}
	var a ahead
	for inode := range uint64(2 * mostAhead) {
		a.take(&probe.Read{FileVersion: probe.FileVersion{Inode: inode}, Length: page, DeviceBytes: 4 * page})
	}
	assert.LessOrEqual(t, len(a.files), mostAhead)
	assert.False(t, a.take(&probe.Read{Offset: -1, Length: page, DeviceBytes: page}), "the offset is not known")
}
