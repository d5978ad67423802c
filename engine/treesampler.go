package engine

import (
	"context"

	"getio/engine/lsm"
)

// TreeSampler samples what predictions need to know of a tree, and its tables do not record.
type TreeSampler interface {
	// SampleBlocks reads about most data blocks, evenly spaced over the tables, and at least a few of
	// each table. If there are many tables and they record how many records they have, it reads some
	// tables of each sorted run only. It calls use once for each table that it reads, never concurrently.
	SampleBlocks(ctx context.Context, most int64, use func(file uint64, blocks []DataBlock)) error
	// SampleKeys draws about most records, evenly spaced over the same tables, and looks their keys up in all tables.
	// It calls progress each time it is done with a table, never concurrently.
	SampleKeys(ctx context.Context, most int64, progress func(done, all int)) (*lsm.KeySample, error)
}

// DataBlock says what a data block holds.
type DataBlock struct {
	Records  int64
	RawBytes int64 // of keys, with their trailers, and values, or handles of values in other blocks
	Bytes    int64 // of the block, uncompressed
	Stored   int64 // of the block in its file, with its trailer
}
