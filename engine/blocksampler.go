package engine

import (
	"context"

	"getio/tree/lsm"
)

// BlockSampler is implemented by Stores whose tables do not record what predictions need to know
// of their data blocks.
type BlockSampler interface {
	// SampleBlocks reads about most data blocks, evenly spaced over the tables, and at least a few of
	// each table. It calls use once for each table.
	SampleBlocks(ctx context.Context, most int64, use func(file uint64, blocks []DataBlock)) error
}

// DataBlock says what a data block holds.
type DataBlock struct {
	Records  int64
	RawBytes int64 // of keys, with their trailers, and values
	Bytes    int64 // of the block, uncompressed
	Stored   int64 // of the block in its file, with its trailer
}

// SharedKeysSampler is implemented by Stores that can tell which keys several sorted runs have.
type SharedKeysSampler interface {
	// SampleSharedKeys looks up about most keys, evenly spaced over the tables, in the other sorted runs.
	SampleSharedKeys(ctx context.Context, most int64) ([]lsm.SharedKeys, error)
}
