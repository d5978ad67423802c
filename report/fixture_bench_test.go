package report

import (
	"getio/engine"
	"getio/tree/readpath"
)

// publishedWarmup and publishedRun are the counts of the published run at
// 45 MiB: since the opening, at the end of the warm-up and of the run.
func publishedWarmup() engine.Counts {
	return benchCounts(
		[4]int64{347_718, 435_015, 103_665, 103_734}, [4]int64{713, 2_136, 95_356, 102_518}, 1_418, 331_064)
}

func publishedRun() engine.Counts {
	return benchCounts(
		[4]int64{35_111_655, 43_916_252, 10_476_554, 10_484_676}, [4]int64{4_355, 14_809, 9_520_066, 10_354_100}, 1_418, 33_432_796)
}

// benchCounts completes the counts of filter, top index, index and data so
// that they agree with each other, as an engine's do.
func benchCounts(accesses, misses [4]int64, opens, negatives int64) engine.Counts {
	var c engine.Counts
	for i, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		c.Accesses.Count[component] = accesses[i]
		c.Reads.Count[component] = misses[i]
	}
	c.Accesses.Count[readpath.TableOpen] = 3 * opens
	c.Reads.Count[readpath.TableOpen] = 3 * opens
	c.Reads.Footers = opens
	c.TableCacheMisses = opens
	c.TableCacheHits = accesses[1] - opens
	c.FilterNegatives, c.FilterPositives = negatives, accesses[0]-negatives
	c.BlockCacheMisses = c.Reads.Count.Sum() - opens
	c.BlockCacheHits = c.Accesses.Count.Sum() - opens - c.BlockCacheMisses
	return c
}
