// Package pebblev1 measures github.com/cockroachdb/pebble v1, unmodified.
//
// The differences from v2 are in library.go, files.go, metrics.go and buildtable.go. The
// other files are generated from those of package pebblev2.
package pebblev1

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
)

var library = &pebbledb.Library{
	EngineName:  "pebblev1",
	Module:      "github.com/cockroachdb/pebble",
	PresetNames: []string{"bench_kvdb", "geth-v1", "pebble"},
	// Not zstd: v1 cannot read what it wrote with the newer zstd library that v2 needs.
	Compressions: []string{"snappy", "none"},
	MinFormat:    int(pebble.FormatMostCompatible),
	MaxFormat:    int(pebble.FormatNewest),
	TableFormat:  func(c *pebbledb.Config) string { return tableFormat(c).String() },
	Snappy:       blockformat.SnappyEighth,
}

// BlockOverhead implements pebblestore.Library. The cache charges only the block itself.
func (pebbleEngine) BlockOverhead() int64 { return 0 }

// directory recognises the database in dir. It returns an error unless the library reads
// its format and compression.
func (e pebbleEngine) directory(dir string) (*pebbledb.Directory, error) {
	d, err := pebbledb.ReadDirectory(dir)
	if err != nil {
		return nil, err
	}
	if d.Format > library.MaxFormat {
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf(
			"%s has format %d, and Pebble %s reads formats up to %d: use 'getio measure' with --engine pebblev2, which reads newer ones",
			dir, d.Format, e.Version(), library.MaxFormat)}
	}
	return d, e.checkCompression(d)
}

// checkCompression returns an error if v1 cannot decompress the database's blocks in this
// binary. v1 itself would report corruption.
func (e pebbleEngine) checkCompression(d *pebbledb.Directory) error {
	written, err := d.WrittenOptions()
	if err != nil {
		return err
	}
	for name, value := range written {
		if strings.HasSuffix(name, ".compression") && !slices.Contains([]string{"Default", "NoCompression", "Snappy"}, value) {
			return fmt.Errorf("%s is compressed with %s, which Pebble %s does not read in getio: take --engine pebblev2 if its format (%d) is 13 or newer, or write a copy with Snappy",
				d.Path, value, e.Version(), d.Format)
		}
	}
	return nil
}

var compressions = map[string]pebble.Compression{
	"none":   pebble.NoCompression,
	"snappy": pebble.SnappyCompression,
}

// setLevels sets the options of levels and compactions.
func setLevels(o *pebble.Options, c *pebbledb.Config) {
	o.Levels = make([]pebble.LevelOptions, lsm.NumLevels)
	for i := range o.Levels {
		o.Levels[i] = pebble.LevelOptions{
			BlockSize:            int(c.BlockSize),
			IndexBlockSize:       int(c.IndexBlockSize),
			BlockRestartInterval: c.BlockRestartInterval,
			Compression:          compressions[c.Compression],
			TargetFileSize:       c.TargetFileSize[i],
		}
		if bits := c.BloomBits[i]; bits > 0 {
			o.Levels[i].FilterPolicy = bloom.FilterPolicy(bits)
		}
	}
	o.MaxConcurrentCompactions = runtime.NumCPU
}

func readListener(log *pebbledb.Logger) *pebble.EventListener {
	return &pebble.EventListener{BackgroundError: log.Fail}
}

// setLogs says where the write-ahead log is. This version has one directory for it.
func setLogs(o *pebble.Options, logs pebbledb.Logs) { o.WALDir = logs.Primary }

func iterOptions(useL6Filters bool) *pebble.IterOptions {
	return &pebble.IterOptions{UseL6Filters: useL6Filters}
}

// seekWholeKeys makes prefix seeks use the complete key: the library's comparer lacks the
// Split function that they need.
func seekWholeKeys(o *pebble.Options) {
	c := *pebble.DefaultComparer
	c.Split = func(key []byte) int { return len(key) }
	o.Comparer = &c
}
