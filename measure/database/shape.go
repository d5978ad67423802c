package database

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/system/atomicfile"
)

// sampledBlocks is about how many data blocks of a tree are read.
const sampledBlocks = 20_000

// sampledKeys is about how many keys of a tree are looked up in its other sorted runs.
const sampledKeys = 20_000

// WriteShape writes ShapeToPredict to a file outside the database. It replaces only an earlier shape or an empty file.
func (d *Database) WriteShape(ctx context.Context, path string, progress SampleProgress) error {
	if err := cmp.Or(d.RequireOutside(path, "--shape"), requireShape(path, "--shape")); err != nil {
		return err
	}
	s, err := d.ShapeToPredict(ctx, progress)
	if err != nil {
		return err
	}
	s.Schema, s.LogRecords = lsm.SchemaV1, d.Info().WALKeys
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(path, append(text, '\n')); err != nil {
		return fmt.Errorf("cannot write the shape to %s (%w): choose another file with --shape", path, err)
	}
	return nil
}

// requireShape returns an error if path, which a flag names, is a file that holds anything but a shape.
func requireShape(path, flag string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return nil // usually the file does not exist; otherwise, writing it fails
	}
	if err := atomicfile.RequireReplaceable(path, flag); err != nil || fi.Size() == 0 {
		return err
	}
	switch shape, err := lsm.HoldsShape(path); {
	case err != nil:
		return atomicfile.CannotWrite(path, flag, atomicfile.Cause(err))
	case !shape:
		return fmt.Errorf("%s is not a shape and would be lost: choose another file with %s", path, flag)
	}
	return nil
}

// SampleProgress is called while a tree is sampled. It may be nil.
type SampleProgress func(phase string, done, total uint64, unit string)

// ShapeToPredict returns OwnShape with what predictions need besides, from samples: the kinds of data blocks, the
// records of tables that do not record them, and the records that Gets find. A dataset that getio loaded and that
// records one record per key needs none.
func (d *Database) ShapeToPredict(ctx context.Context, progress SampleProgress) (*lsm.Shape, error) {
	s := d.OwnShape()
	if d.Manifest != nil && uint64(s.Total().Records) == d.Manifest.Keys {
		return s.EachTable(func(_ int, t *lsm.Table) { t.LiveRecords = new(t.Records) }), nil
	}
	if progress == nil {
		progress = func(string, uint64, uint64, string) {}
	}
	if d.Manifest == nil || s.Total().Records == 0 { // the blocks of datasets are alike
		var err error
		if s, err = d.sampleBlocks(ctx, s, progress); err != nil {
			return nil, err
		}
	}
	keys, err := d.Store.TreeSampler().SampleKeys(ctx, sampledKeys, func(done, all int) {
		progress("look keys up", uint64(done), uint64(all), "steps")
	})
	if err != nil {
		return nil, err
	}
	return keys.Describe(s), nil
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
		if len(blocks) > 0 { // a table may hold deleted ranges only
			kinds[file] = of
		}
		sampled += int64(len(blocks))
		progress("sample", uint64(sampled), max(all, uint64(sampled)), "blocks")
	})
	if err != nil {
		return nil, err
	}
	completed := describe(s, kinds)
	completed.SampledBlocks = sampled
	return completed, nil
}

// describe completes a shape with the kinds of data blocks that were found in the sampled tables, by file. Every
// other table gets the kinds of the sampled table before it in its sorted run, or of the first one behind it.
func describe(s *lsm.Shape, kinds map[uint64]*lsm.BlockKinds) *lsm.Shape {
	near := map[lsm.SortedRun]*lsm.BlockKinds{}
	for _, level := range s.Levels {
		for _, t := range level.TableList {
			if run := (lsm.SortedRun{Level: level.Level, Sublevel: t.Sublevel}); near[run] == nil {
				near[run] = kinds[t.File]
			}
		}
	}
	return s.EachTable(func(level int, t *lsm.Table) {
		run := lsm.SortedRun{Level: level, Sublevel: t.Sublevel}
		if own := kinds[t.File]; own != nil {
			near[run] = own
		}
		near[run].Describe(t)
	})
}
