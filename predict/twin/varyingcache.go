package twin

import (
	"gonum.org/v1/gonum/stat"

	"getio/tree/readpath"
)

// varyingCache simulates at least two variants of a library's cache. A run's misses are their mean.
type varyingCache []*ownCache

func (k varyingCache) begin() {
	for _, c := range k {
		c.begin()
	}
}

func (k varyingCache) access(accesses []Access) {
	for _, c := range k {
		c.access(accesses)
	}
}

func (k varyingCache) estimate(to *Counts) {
	var misses, bytes readpath.PerComponent
	var sums []float64
	for _, c := range k {
		misses, bytes = misses.Add(c.misses), bytes.Add(c.bytes)
		sums = append(sums, float64(c.misses.Sum()))
	}
	for component := range misses {
		to.Misses[component] = float64(misses[component]) / float64(len(k))
		to.MissBytes[component] = float64(bytes[component]) / float64(len(k))
	}
	to.MissError = stat.StdDev(sums, nil)
}
