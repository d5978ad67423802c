package database

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"getio/engine"
	"getio/system/atomicfile"
	"getio/tree/blockformat"
	"getio/tree/lsm"
)

// sampledBlocks is about how many data blocks of a tree are read.
const sampledBlocks = 20_000

// sampledKeys is about how many keys of a tree are looked up in its other sorted runs.
const sampledKeys = 20_000

// WriteShape writes ShapeToPredict to a file outside the database.
func (d *Database) WriteShape(ctx context.Context, path string, progress SampleProgress) error {
	if err := d.RequireOutside(path, "--shape"); err != nil {
		return err
	}
	s, err := d.ShapeToPredict(ctx, progress)
	if err != nil {
		return err
	}
	s.Schema = lsm.SchemaV1
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(path, append(text, '\n')); err != nil {
		return fmt.Errorf("cannot write the shape to %s (%w): choose another file with --shape", path, err)
	}
	return nil
}

// SampleProgress is called while a tree is sampled. It may be nil.
type SampleProgress func(phase string, done, total uint64, unit string)

// ShapeToPredict returns OwnShape with what predictions need besides, from a sample: the kinds of data blocks,
// the records of tables that do not record them, and the keys that several sorted runs have. The blocks of a
// dataset of getio are alike, and Gets ask for each of its keys equally often, in however many runs it is.
func (d *Database) ShapeToPredict(ctx context.Context, progress SampleProgress) (*lsm.Shape, error) {
	s := d.OwnShape()
	if d.Manifest != nil && s.Total().Records > 0 {
		return s, nil
	}
	if progress == nil {
		progress = func(string, uint64, uint64, string) {}
	}
	s, err := d.sampleBlocks(ctx, s, progress)
	if err == nil && d.Manifest == nil {
		s.SharedKeys, err = d.Store.TreeSampler().SampleSharedKeys(ctx, sampledKeys, func(done, tables int) {
			progress("look keys up", uint64(done), uint64(tables), "tables")
		})
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// sampleBlocks completes a shape from a sample of the tables' data blocks.
func (d *Database) sampleBlocks(ctx context.Context, s *lsm.Shape, progress SampleProgress) (*lsm.Shape, error) {
	kinds, sampled := map[uint64]*lsm.BlockKinds{}, int64(0)
	all := min(uint64(s.Total().DataBlocks), sampledBlocks)
	err := d.Store.TreeSampler().SampleBlocks(ctx, sampledBlocks, func(file uint64, blocks []engine.DataBlock) {
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
		progress("sample", uint64(sampled), max(all, uint64(sampled)), "blocks")
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
