// Package pebblev2 measures github.com/cockroachdb/pebble/v2, unmodified.
//
// The differences from v1 are in library.go, files.go, metrics.go and buildtable.go.
// `go generate` makes the other files of package pebblev1 from those of this package.
package pebblev2

import (
	"fmt"
	"runtime"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/wal"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/pebble/pebbledb"
)

//go:generate go run ../generate

var library = &pebbledb.Library{
	EngineName:   "pebblev2",
	Module:       "github.com/cockroachdb/pebble/v2",
	PresetNames:  []string{"bench_kvdb", "geth", "pebble"},
	Compressions: []string{"snappy", "none", "zstd", "minlz", "fastest", "fast", "balanced", "good"},
	MinFormat:    int(pebble.FormatMinSupported),
	MaxFormat:    int(pebble.FormatNewest),
	TableFormat:  func(c *pebbledb.Config) string { return tableFormat(c).String() },
	Snappy:       blockformat.SnappyPercent12,

	FlushAtThreshold: true,
}

// BlockOverhead implements pebblestore.Library: what the cache charges for the decoded
// metadata of each block (sstable/block/block.go, MetadataSize), in bytes.
func (pebbleEngine) BlockOverhead() int64 { return block.MetadataSize }

// directory recognises the database in dir. It returns an error unless the library reads
// its format.
func (e pebbleEngine) directory(dir string) (*pebbledb.Directory, error) {
	d, err := pebbledb.ReadDirectory(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case d.Format > library.MaxFormat:
		return nil, fmt.Errorf("%s has format %d, and Pebble %s reads formats up to %d: it was written by a newer Pebble, for which getio needs an update",
			dir, d.Format, e.Version(), library.MaxFormat)
	case d.Format < library.MinFormat:
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf(
			"%s has format %d, and Pebble %s reads formats from %d on: use --engine pebblev1",
			dir, d.Format, e.Version(), library.MinFormat)}
	}
	return d, nil
}

var compressions = map[string]*sstable.CompressionProfile{
	"none":     sstable.NoCompression,
	"snappy":   sstable.SnappyCompression,
	"zstd":     sstable.ZstdCompression,
	"minlz":    sstable.MinLZCompression,
	"fastest":  sstable.FastestCompression,
	"fast":     sstable.FastCompression,
	"balanced": sstable.BalancedCompression,
	"good":     sstable.GoodCompression,
}

// setLevels sets the options of levels and compactions.
func setLevels(o *pebble.Options, c *pebbledb.Config) {
	compression := compressions[c.Compression]
	for i := range o.Levels {
		o.Levels[i] = pebble.LevelOptions{
			BlockSize:            int(c.BlockSize),
			IndexBlockSize:       int(c.IndexBlockSize),
			BlockRestartInterval: c.BlockRestartInterval,
			Compression:          func() *sstable.CompressionProfile { return compression },
			FilterPolicy:         pebble.NoFilterPolicy,
		}
		if bits := c.BloomBits[i]; bits > 0 {
			o.Levels[i].FilterPolicy = bloom.FilterPolicy(bits)
		}
	}
	o.TargetFileSizes = c.TargetFileSize
	o.CompactionConcurrencyRange = func() (int, int) { return 1, runtime.NumCPU() }
}

// readListener returns a listener that keeps the process alive when the library finds
// corruption. By default, the library would exit. Get returns the error as well.
func readListener(log *pebbledb.Logger) *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: log.Fail,
		DataCorruption:  func(pebble.DataCorruptionInfo) {},
	}
}

// iterCategory is the category in which the library counts what iterators read.
var iterCategory = block.RegisterCategory("getio-iter", block.LatencySensitiveQoSLevel)

// setLogs says where the write-ahead log is. Without a directory that is not there, the library would refuse to open the
// database.
func setLogs(o *pebble.Options, logs pebbledb.Logs) {
	o.WALDir = logs.Primary
	if logs.Secondary != "" {
		o.WALRecoveryDirs = []wal.Dir{{FS: o.FS, Dirname: logs.Secondary}}
	}
	o.Unsafe.AllowMissingWALDirs = true
}

func iterOptions(useL6Filters bool) *pebble.IterOptions {
	return &pebble.IterOptions{UseL6Filters: useL6Filters, Category: iterCategory}
}

// seekWholeKeys makes prefix seeks use the complete key. v2's default comparer already does.
func seekWholeKeys(*pebble.Options) {}
