package engine

import (
	"context"

	"getio/tree/lsm"
)

// TreeSampler samples what predictions need to know of a tree, and its tables do not record.
type TreeSampler interface {
	// SampleBlocks reads about most data blocks, evenly spaced over the tables, and at least a few of
	// each table. In a tree of many tables that record how many records they have, it reads blocks of
	// some of these only. It calls use once for each table that it reads.
	SampleBlocks(ctx context.Context, most int64, use func(file uint64, blocks []DataBlock)) error
	// SampleSharedKeys looks about most keys up, evenly spaced over the same tables, in the other
	// sorted runs. After each of all tables, it calls searched, one call at a time.
	SampleSharedKeys(ctx context.Context, most int64, searched func(done, tables int)) ([]lsm.SharedKeys, error)
}

// DataBlock says what a data block holds.
type DataBlock struct {
	Records  int64
	RawBytes int64 // of keys, with their trailers, and values
	Bytes    int64 // of the block, uncompressed
	Stored   int64 // of the block in its file, with its trailer
}
