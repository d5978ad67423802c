package growth

import (
	"errors"
	"fmt"
)

const mib = 1 << 20

// Options holds the parameters of a natural tree, besides its number of keys.
type Options struct {
	// UpperRecord and LastRecord are the bytes of a record in a table file above L6 and in L6,
	// including its share of index and filter. They differ if values compress: records of L6 have
	// sequence number zero, whose zeros compress and make Snappy try harder on what follows.
	UpperRecord, LastRecord float64
	// RawRecord is the bytes of a key and its value, uncompressed.
	RawRecord int64

	LBaseMaxBytes int64
	// TargetFileSize is indexed as in Pebble: 0 is L0, 1 the base level, 2 the level below it.
	TargetFileSize [7]int64
	MemTableSize   int64

	Seed uint64
}

// BenchKVDB returns the options of the published study: keys of 32 bytes, a pool of 32
// values of 110 bytes, and the sizes of the presets. Bytes per record are from natural
// loads of 20M keys (see testdata).
func BenchKVDB() Options {
	return Options{
		UpperRecord:    143.5,
		LastRecord:     117.6,
		RawRecord:      142,
		LBaseMaxBytes:  64 * mib,
		TargetFileSize: [7]int64{2 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib, 128 * mib},
		MemTableSize:   128 * mib,
	}
}

// MaxKeys is the maximum number of keys. More would be too dense for bounds of 64 bits.
const MaxKeys = 100_000_000_000

// record returns the bytes of a record in a table file of a level.
func (o *Options) record(level int) float64 {
	if level == lastLevel {
		return o.LastRecord
	}
	return o.UpperRecord
}

func (o *Options) check(keys uint64) error {
	switch {
	case keys == 0 || keys > MaxKeys:
		return fmt.Errorf("no tree of %d keys: give 1 to %d", keys, uint64(MaxKeys))
	case !(o.UpperRecord > 0) || !(o.LastRecord > 0) || o.RawRecord <= 0:
		return errors.New("growth options lack the bytes of a record: set UpperRecord, LastRecord and RawRecord")
	case o.LBaseMaxBytes <= 0 || o.MemTableSize <= 0:
		return errors.New("growth options lack LBaseMaxBytes or MemTableSize: take them from the engine's configuration")
	}
	for i, size := range o.TargetFileSize {
		if size <= 0 {
			return fmt.Errorf("growth options have no TargetFileSize[%d]: take all seven from the engine's configuration", i)
		}
	}
	return nil
}
