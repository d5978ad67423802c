package twin

import "gonum.org/v1/gonum/stat"

// varyingCache simulates at least two variants of a cache. A run's misses are their mean.
type varyingCache []simulated

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
	var sums []float64
	empty := *to
	for _, c := range k {
		variant, sum := empty, 0.0
		c.estimate(&variant)
		for component, misses := range variant.Misses {
			to.Misses[component] += misses / float64(len(k))
			to.MissBytes[component] += variant.MissBytes[component] / float64(len(k))
			sum += misses
		}
		sums = append(sums, sum)
	}
	to.MissError = stat.StdDev(sums, nil)
}
