package region

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
)

func TestCounterConcurrently(t *testing.T) {
	const files, workers, rounds = 100, 8, 500
	regions := rowMap()
	var c Counter
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range uint64(rounds) {
				count := c.Table(i%files, &regions)
				count.Count(100, 500)  // data
				count.Count(1000, 100) // filter
				count.Count(1947, 53)  // footer
				count.Count(990, 20)   // crosses a border
				count.Count(1350, 150) // a deleted range, which is not misplaced
			}
		})
	}
	all.Wait()
	const each = workers * rounds
	var want readpath.Reads
	want.Count = readpath.PerComponent{readpath.Data: each, readpath.Filter: each, readpath.TableOpen: each, readpath.Other: 2 * each}
	want.Bytes = readpath.PerComponent{readpath.Data: 500 * each, readpath.Filter: 100 * each, readpath.TableOpen: 53 * each, readpath.Other: 170 * each}
	want.Footers, want.Misplaced, want.Pages = each, each, 5*each
	assert.Equal(t, want, c.Reads())
}
