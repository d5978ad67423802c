package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine"
	"getio/load"
	"getio/load/treewriter"
	"getio/tree/growth"
	"getio/tree/lsm"
)

// buildJob prepares a shaped or virtual load.
func (l *loadFlags) buildJob(c *cobra.Command, dir string) (*load.Job, error) {
	if l.shaped && l.virtual {
		return nil, errors.New("--shaped and --virtual exclude each other: take --virtual for the metadata alone")
	}
	for _, name := range []string{"keyspace", "order", "batch"} {
		if c.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s does not go with --shaped or --virtual, which write stratified keys in their order: leave it out", name)
		}
	}
	m := &dataset.Manifest{
		Keys: 1, Keyspace: dataset.KeyspaceStratified, Values: l.values, ValueSize: l.size,
		Seed: l.seed, Order: dataset.OrderSequential, Build: dataset.BuildShaped,
	}
	if l.virtual {
		m.Build = dataset.BuildVirtual
	}
	job, err := newJob(dir, m, l.choice, l.workers)
	if err != nil {
		return nil, err
	}
	builder, ok := job.Engine.(engine.Builder)
	if !ok {
		return nil, fmt.Errorf("%s cannot take tables that it did not write itself: load without --shaped and --virtual", job.Engine.Name())
	}
	if _, err := builder.TableOptions(job.Config); err != nil {
		return nil, err
	}
	shape, err := l.treeShape(job.Config)
	if err != nil {
		return nil, err
	}
	tree, err := treewriter.Tree(shape, builder.FirstTable())
	if err != nil {
		return nil, err
	}
	m.SetTree(tree)
	return job, nil
}

// publishedShapes are the databases of the published study.
var publishedShapes = []string{"small", "medium", "large"}

// treeShape is the shape that the flags name.
func (l *loadFlags) treeShape(cfg engine.Config) (*lsm.Shape, error) {
	if l.shape == "" {
		return l.grownShape(cfg)
	}
	var shape *lsm.Shape
	var err error
	if slices.Contains(publishedShapes, l.shape) {
		shape, err = growth.Published(l.shape, l.seed)
	} else {
		shape, err = readShape(l.shape)
	}
	if err != nil || l.keys == "" {
		return shape, err
	}
	keys, err := parseCount("--keys", l.keys)
	if err != nil {
		return nil, err
	}
	if has := shape.Total().Records; has != keys {
		return nil, fmt.Errorf("--shape %s has %s keys and --keys says %s: leave --keys out", l.shape, humanize.Comma(has), humanize.Comma(keys))
	}
	return shape, nil
}

// readShape reads a file that inspect wrote.
func readShape(path string) (*lsm.Shape, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the shape cannot be read (%w): name small, medium, large, or a file that 'getio inspect DIR --shape FILE' wrote", err)
	}
	var s lsm.Shape
	if err := json.Unmarshal(data, &s); err != nil || s.Schema != lsm.SchemaV1 {
		return nil, fmt.Errorf("%s is not a shape of schema %s: write one with 'getio inspect DIR --shape FILE'", path, lsm.SchemaV1)
	}
	return &s, nil
}

// grownShape is the shape that so many keys grow into under the configuration.
func (l *loadFlags) grownShape(cfg engine.Config) (*lsm.Shape, error) {
	if l.keys == "" {
		return nil, errors.New("load needs to know how many keys: say --keys N, like --keys 10M, or --shape")
	}
	keys, err := parseCount("--keys", l.keys)
	if err != nil {
		return nil, err
	}
	if keys == 0 {
		return nil, errors.New("--keys 0 makes no dataset: take at least 1")
	}
	o := growth.BenchKVDB()
	o.Seed = l.seed
	o.RawRecord = int64(dataset.KeySize + l.size)
	if l.values == dataset.ValuesRandom {
		o.UpperRecord = float64(o.RawRecord + recordOverhead)
		o.LastRecord = o.UpperRecord
	}
	effective := cfg.Effective()
	o.LBaseMaxBytes = bytesOf(effective, "lbase_max_bytes", o.LBaseMaxBytes)
	o.MemTableSize = bytesOf(effective, "memtable_size", o.MemTableSize)
	for level := range o.TargetFileSize {
		size := bytesOf(effective, "target_file_size", o.TargetFileSize[level])
		o.TargetFileSize[level] = bytesOf(effective, fmt.Sprintf("target_file_size.L%d", level), size)
	}
	return growth.Of(uint64(keys), o)
}

// recordOverhead is what a record takes in a table beside its key and value, in
// bytes: trailer, lengths and its share of index and filter, less what its key
// shares with the one before.
const recordOverhead = 11

// bytesOf is an option's size in bytes, or another where it is not set.
func bytesOf(effective map[string]string, name string, otherwise int64) int64 {
	if n, err := humanize.ParseBytes(effective[name]); err == nil {
		return int64(n)
	}
	return otherwise
}
