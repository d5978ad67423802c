package main

import (
	"getio/engine"
	"getio/engine/groundtruth"
)

// outside returns the part of an engine's counts that the patched library counts too.
func outside(c engine.Counts) groundtruth.Figures {
	f := groundtruth.Figures{
		Accesses:         c.Accesses.Count,
		Reads:            c.Reads.Count,
		Footers:          c.Reads.Footers,
		BlockCacheHits:   c.BlockCacheHits,
		BlockCacheMisses: c.BlockCacheMisses,
		Probed:           c.Accesses.Probed,
		SplitExact:       c.Accesses.SplitExact,
	}
	if c.SharedLoads != nil {
		f.SharedLoads = *c.SharedLoads
	}
	return f
}

// since returns what the library counted between from and to.
func since(to, from groundtruth.Figures) groundtruth.Figures {
	to.Accesses = to.Accesses.Sub(from.Accesses)
	to.Misses = to.Misses.Sub(from.Misses)
	to.Reads = to.Reads.Sub(from.Reads)
	to.Footers -= from.Footers
	to.BlockCacheHits -= from.BlockCacheHits
	to.BlockCacheMisses -= from.BlockCacheMisses
	to.SharedLoads -= from.SharedLoads
	return to
}
