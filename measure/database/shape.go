package database

import (
	"context"
	"slices"

	"getio/engine"
	"getio/tree/blockformat"
	"getio/tree/lsm"
)

// sampledBlocks is about how many data blocks of a tree are read.
const sampledBlocks = 20_000

// sampledKeys is about how many keys of a tree are looked up in its other sorted runs.
const sampledKeys = 20_000

// ShapeToPredict returns OwnShape with what predictions need besides, from a sample: the kinds of data blocks,
// the records of tables that do not record them, and the keys that several sorted runs have. The blocks of a
// dataset of getio are alike, and Gets ask for each of its keys equally often, in however many runs it is.
func (d *Database) ShapeToPredict(ctx context.Context) (*lsm.Shape, error) {
	s := d.OwnShape()
	if d.Manifest != nil && s.Total().Records > 0 {
		return s, nil
	}
	s, err := d.sampleBlocks(ctx, s)
	if err == nil && d.Manifest == nil {
		s.SharedKeys, err = d.Store.SampleSharedKeys(ctx, sampledKeys)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// sampleBlocks completes a shape from a sample of the tables' data blocks.
func (d *Database) sampleBlocks(ctx context.Context, s *lsm.Shape) (*lsm.Shape, error) {
	kinds, sampled := map[uint64]*lsm.BlockKinds{}, int64(0)
	err := d.Store.SampleBlocks(ctx, sampledBlocks, func(file uint64, blocks []engine.DataBlock) {
		of := &lsm.BlockKinds{}
		for _, b := range blocks {
			charged := b.Bytes
			if b.Stored == b.Bytes+blockformat.TrailerLen { // not compressed: LevelDB caches it with its trailer
				charged = b.Stored
			}
			of.Add(b.Records, b.RawBytes, b.Bytes, d.Store.CacheCharge(charged))
		}
		kinds[file] = of
		sampled += int64(len(blocks))
	})
	if err != nil {
		return nil, err
	}
	for _, level := range s.Levels {
		fillGaps(kinds, level.TableList)
	}
	completed := s.EachTable(func(_ int, t *lsm.Table) { kinds[t.File].Describe(t) })
	completed.SampledBlocks = sampled
	return completed, nil
}

// fillGaps gives tables that were not sampled the kinds of the table before them in key order that was, or of
// the first that was.
func fillGaps(kinds map[uint64]*lsm.BlockKinds, tables []lsm.Table) {
	first := slices.IndexFunc(tables, func(t lsm.Table) bool { return kinds[t.File] != nil })
	if first < 0 {
		return
	}
	near := kinds[tables[first].File]
	for _, t := range tables {
		if of := kinds[t.File]; of != nil {
			near = of
		} else {
			kinds[t.File] = near
		}
	}
}
