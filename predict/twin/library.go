package twin

import (
	"fmt"

	"getio/predict/cachesim"
)

// Library holds how libraries differ in reading a tree.
type Library struct {
	// SkipsByBounds: a Get does not visit a table that begins beyond its key. Pebble v1
	// visits the first table that ends at or beyond the key, and reads its index and filter
	// even if it begins beyond the key; v2 does not (level_iter.go).
	SkipsByBounds bool
	// Pebble assigns blocks to the cache's shards. It is applied to filters and top indexes
	// where the shape holds their offsets: they are large or few, so their distribution
	// matters. Other blocks are assigned at random.
	cachesim.Pebble
}

// The libraries that getio measures.
var (
	PebbleV1 = Library{Pebble: cachesim.PebbleV1}
	PebbleV2 = Library{SkipsByBounds: true, Pebble: cachesim.PebbleV2}
)

// LibraryOf returns the library of an engine, by the engine's name.
func LibraryOf(engine string) (Library, error) {
	switch engine {
	case "pebblev1":
		return PebbleV1, nil
	case "pebblev2":
		return PebbleV2, nil
	}
	return Library{}, fmt.Errorf("the reads of %s cannot be predicted: choose a database of pebblev1 or pebblev2", engine)
}
