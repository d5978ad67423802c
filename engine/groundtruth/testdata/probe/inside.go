package main

import (
	"fmt"

	pebblev1 "github.com/cockroachdb/pebble"
	v1 "github.com/cockroachdb/pebble/groundtruth"
	pebblev2 "github.com/cockroachdb/pebble/v2"
	v2 "github.com/cockroachdb/pebble/v2/groundtruth"

	"getio/engine/groundtruth"
	"getio/tree/readpath"
)

// newestFormat returns the option for the newest format of the engine's library.
func newestFormat(engine string) string {
	format := int(pebblev2.FormatNewest)
	if engine == "pebblev1" {
		format = int(pebblev1.FormatNewest)
	}
	return fmt.Sprintf("format=%d", format)
}

// insideOf returns a function that reads the counters of the engine's patched library. The
// v1 engine also uses the v2 library, to inspect tables, so the two are never added up.
func insideOf(engine string) func() groundtruth.Figures {
	if engine == "pebblev1" {
		return func() groundtruth.Figures { return figures(v1Counts(v1.Now())) }
	}
	return func() groundtruth.Figures { return figures(v2.Now()) }
}

// v1Counts converts between the two copies of one type.
func v1Counts(c v1.Counts) v2.Counts { return v2.Counts(c) }

// component maps the library's components to the engines', of which there are fewer.
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

func figures(n v2.Counts) (f groundtruth.Figures) {
	for c, to := range component {
		f.Accesses[to] += n.Accesses[c]
		f.Misses[to] += n.Misses[c]
		f.Reads[to] += n.Reads[c]
		f.BlockCacheHits += n.Hits[c]
		f.BlockCacheMisses += n.Misses[c]
		f.SharedLoads += n.Waits[c]
	}
	f.Footers = n.Reads[v2.Footer]
	return f
}
