package replay

import (
	"gonum.org/v1/gonum/stat"

	"getio/predict/cachesim"
)

// notable is the share of the reads from which on variants are said to differ.
const notable = 0.01

// withVariants returns the variants of each cache, one cache after another, and how many a cache has.
func withVariants(library cachesim.Library, caches []Cache) (all []Cache, each int) {
	each = 1
	if v, ok := library.(cachesim.Varying); ok && v.Varies() {
		each = cachesim.Variants
	}
	for _, c := range caches {
		for i := range each {
			c.variant = uint64(i)
			all = append(all, c)
		}
	}
	return all, each
}

// meanOf returns what each of the given number of Gets does in one cache, from its counts in all variants.
func meanOf(variants []Counts, gets int64) (p PerGet) {
	var misses []float64
	all := float64(gets) * float64(len(variants))
	for _, c := range variants {
		for i := range c.Misses {
			p.Accesses[i] += float64(c.Accesses[i]) / all
			p.Misses[i] += float64(c.Misses[i]) / all
		}
		misses = append(misses, float64(c.Misses.Sum())/float64(gets))
	}
	if len(variants) > 1 {
		if deviation := stat.StdDev(misses, nil); deviation > notable*p.IOs() {
			p.Error = &deviation
		}
	}
	return p
}
