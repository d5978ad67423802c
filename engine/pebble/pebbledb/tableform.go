package pebbledb

import (
	"fmt"

	"getio/engine"
	"getio/tree/blockformat"
)

// BlockSizeThreshold is the share of its target size, in percent, that a block
// must reach before the libraries end it early. It is a level option that
// getio leaves at its default (Pebble: internal/base/options.go).
const BlockSizeThreshold = 90

// flushThreshold is the size of a block at that share, rounded up as both
// libraries do (v1: sstable/writer.go, NewWriter; v2:
// sstable/block/flush_governor.go).
func flushThreshold(target int) int { return (target*BlockSizeThreshold + 99) / 100 }

// TableForm is what both libraries have in common of a table's form. What they
// differ in is left to them: the format, FlushAtThreshold, the rule of Snappy.
func (c *Config) TableForm() (engine.TableOptions, error) {
	if c.Compression != "snappy" && c.Compression != "none" {
		return engine.TableOptions{}, fmt.Errorf(
			"tables compressed with %s cannot be built, because getio writes blocks with Snappy or as they are: take --option compression=snappy or compression=none",
			c.Compression)
	}
	snappy := blockformat.SnappyNever
	if c.Compression == "snappy" {
		snappy = blockformat.SnappyEighth
	}
	return engine.TableOptions{
		BlockSize:       int(c.BlockSize),
		IndexBlockSize:  int(c.IndexBlockSize),
		RestartInterval: c.BlockRestartInterval,
		Snappy:          snappy,
		BloomBits:       c.BloomBits,
		FlushAbove:      flushThreshold(int(c.BlockSize)),
		IndexFlushAbove: flushThreshold(int(c.IndexBlockSize)),
	}, nil
}

// NotBuilt refuses the configuration's format major version, whose tables are
// of a format that the builder does not write.
func (c *Config) NotBuilt(tableFormat, because string) error {
	return fmt.Errorf("tables of format %d of %s cannot be built, because they are %s tables, which %s: take --option format=%d",
		c.Format, c.library.Name, tableFormat, because, formatFlushableIngest)
}
