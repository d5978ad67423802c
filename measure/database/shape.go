package database

import (
	"context"

	"getio/engine"
	"getio/tree/blockformat"
	"getio/tree/lsm"
)

// sampledBlocks is about how many data blocks are read where tables do not record what they hold.
const sampledBlocks = 20_000

// sampledKeys is about how many keys of a tree are looked up in its other sorted runs.
const sampledKeys = 20_000

// ShapeToPredict returns OwnShape with what predictions need. Where tables do not record what they
// hold, it is estimated from a sample of their data blocks; the keys that several sorted runs have are
// estimated from a sample of keys.
func (d *Database) ShapeToPredict(ctx context.Context) (*lsm.Shape, error) {
	s := d.OwnShape()
	if sampler, ok := d.Store.(engine.BlockSampler); ok {
		var err error
		if s, err = d.sampleShape(ctx, s, sampler); err != nil {
			return nil, err
		}
	}
	if sampler, ok := d.Store.(engine.SharedKeysSampler); ok {
		shared, err := sampler.SampleSharedKeys(ctx, sampledKeys)
		if err != nil {
			return nil, err
		}
		completed := *s
		completed.SharedKeys = shared
		return &completed, nil
	}
	return s, nil
}

// sampleShape completes a shape from a sample of the tables' data blocks.
func (d *Database) sampleShape(ctx context.Context, s *lsm.Shape, sampler engine.BlockSampler) (*lsm.Shape, error) {
	kinds, sampled := map[uint64]*lsm.BlockKinds{}, int64(0)
	err := sampler.SampleBlocks(ctx, sampledBlocks, func(file uint64, blocks []engine.DataBlock) {
		of := &lsm.BlockKinds{}
		for _, b := range blocks {
			charged := b.Bytes
			if b.Stored == b.Bytes+blockformat.TrailerLen { // not compressed: cached with its trailer
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
	completed := s.EachTable(func(_ int, t *lsm.Table) { kinds[t.File].Describe(t) })
	completed.SampledBlocks = sampled
	return completed, nil
}
