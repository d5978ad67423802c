package twin

import "getio/predict/cachesim"

// Library is in which ways the libraries of one tree differ for its reads.
type Library struct {
	// SkipsByBounds: a table whose bounds rule the key out is not visited. Pebble
	// v1 goes to the first table that ends at or behind the key, and asks its
	// index and filter even if the table begins behind the key; v2 does not
	// (level_iter.go).
	SkipsByBounds bool
	// Library spreads blocks over the cache's shards. Filters and top indexes are
	// large or few, so that it matters how evenly they are spread: a shape of tables
	// that are there says where they lie. Other blocks are spread as evenly as by
	// chance.
	cachesim.Library
}

// The libraries that getio measures.
var (
	PebbleV1 = Library{Library: cachesim.PebbleV1}
	PebbleV2 = Library{SkipsByBounds: true, Library: cachesim.PebbleV2}
)
