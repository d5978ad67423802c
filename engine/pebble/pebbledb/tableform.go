package pebbledb

import (
	"fmt"

	"getio/engine"
	"getio/tree/blockformat"
)

// BlockSizeThreshold is the percentage of its target size that a block must reach before
// the libraries may finish it early. getio keeps this level option at its default
// (Pebble: internal/base/options.go).
const BlockSizeThreshold = 90

// flushThreshold returns the block size at BlockSizeThreshold, rounded up as in both
// libraries (v1: sstable/writer.go, NewWriter; v2: sstable/block/flush_governor.go).
func flushThreshold(target int) int { return (target*BlockSizeThreshold + 99) / 100 }

// TableForm returns the table options that both libraries share. Each engine sets those
// that differ: Format, FlushAtThreshold and the rule for Snappy.
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

// UnsupportedFormat returns the error for a format major version whose tables the builder
// cannot write.
func (l *Library) UnsupportedFormat(c *Config, tableFormat, because string) error {
	return fmt.Errorf("tables of format %d of %s cannot be built, because they are %s tables, which %s: take --option format=%d",
		c.Format, l.EngineName, tableFormat, because, formatFlushableIngest)
}
