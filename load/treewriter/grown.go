package treewriter

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/engine/lsm"
	"getio/load/growth"
	"getio/workload/dataset"
)

// GrownShape returns the shape of keys written in random order under an engine's options.
func GrownShape(keys, seed uint64, valueSize int, values string, options map[string]string) (*lsm.Shape, error) {
	if keys == 0 {
		return nil, errors.New("0 keys make no tree: take at least 1")
	}
	o := growth.BenchKVDB()
	o.Seed = seed
	o.RawRecord = int64(dataset.KeySize + valueSize)
	switch values {
	case dataset.ValuesRandom:
		o.UpperRecord = float64(o.RawRecord + recordOverhead)
		o.LastRecord = o.UpperRecord
	case dataset.ValuesAccounts:
		o.UpperRecord = float64(o.RawRecord + recordOverhead - accountSavings)
		o.LastRecord = o.UpperRecord
	}
	o.LBaseMaxBytes = OptionBytes(options, "lbase_max_bytes", o.LBaseMaxBytes)
	o.MemTableSize = OptionBytes(options, "memtable_size", o.MemTableSize)
	for level := range o.TargetFileSize {
		size := OptionBytes(options, "target_file_size", o.TargetFileSize[level])
		o.TargetFileSize[level] = OptionBytes(options, fmt.Sprintf("target_file_size.L%d", level), size)
	}
	return growth.Shape(keys, o)
}

// recordOverhead is the number of bytes that a record takes in a table besides its key and
// value: trailer, lengths and its share of index and filter, less the prefix that its key
// shares with the previous one.
const recordOverhead = 11

// accountSavings is the number of bytes of an account that Snappy does not store, since all
// accounts of a block have them: the root of empty storage, and lengths.
const accountSavings = 30

// OptionBytes returns an option's size in bytes, or otherwise if it is not set.
func OptionBytes(options map[string]string, name string, otherwise int64) int64 {
	if n, err := humanize.ParseBytes(options[name]); err == nil {
		return int64(n)
	}
	return otherwise
}
