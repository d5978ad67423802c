package probe

import (
	v1 "github.com/cockroachdb/pebble/groundtruth"
	v2 "github.com/cockroachdb/pebble/v2/groundtruth"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	"getio/engine/readpath"
)

// inside is what the patched library counts since the process started.
type inside struct {
	accesses, misses, reads readpath.PerComponent
	footers                 int64 // of reads and of accesses; they bypass the block cache
	hits, missed            int64 // of the block cache
	sharedLoads             int64
}

// insideOf returns a function that reads the counters of the engine's patched library. The
// v1 engine also uses the v2 library, to inspect tables, so the two are never added up.
func insideOf(e engine.Engine) func() inside {
	if e == pebblev1.Engine {
		return func() inside { return insideFrom(v2.Counts(v1.Now())) }
	}
	return func() inside { return insideFrom(v2.Now()) }
}

// component maps the library's components to the engines', which are fewer.
var component = [v2.NumComponents]readpath.Component{
	v2.Filter:     readpath.Filter,
	v2.TopIndex:   readpath.TopIndex,
	v2.Index:      readpath.Index,
	v2.Data:       readpath.Data,
	v2.Metaindex:  readpath.TableOpen,
	v2.Properties: readpath.TableOpen,
	v2.Footer:     readpath.TableOpen,
	v2.Other:      readpath.Other,
}

func insideFrom(n v2.Counts) (f inside) {
	for c, to := range component {
		f.accesses[to] += n.Accesses[c]
		f.misses[to] += n.Misses[c]
		f.reads[to] += n.Reads[c]
		f.hits += n.Hits[c]
		f.missed += n.Misses[c]
		f.sharedLoads += n.Waits[c]
	}
	f.footers = n.Reads[v2.Footer]
	return f
}

// sub returns what the library counted from before to f.
func (f inside) sub(before inside) inside {
	return inside{
		accesses: f.accesses.Sub(before.accesses), misses: f.misses.Sub(before.misses), reads: f.reads.Sub(before.reads),
		footers: f.footers - before.footers, hits: f.hits - before.hits, missed: f.missed - before.missed,
		sharedLoads: f.sharedLoads - before.sharedLoads,
	}
}
