package pebbledb

import (
	"fmt"
	"strings"

	"getio/engine"
	"getio/engine/blockformat"
)

// BlockSizeThreshold is the percentage of its target size that a block must reach before
// the libraries may finish it early. getio keeps this level option at its default
// (Pebble: internal/base/options.go).
const BlockSizeThreshold = 90

// flushThreshold returns the block size at BlockSizeThreshold, rounded up as in both
// libraries (v1: sstable/writer.go, NewWriter; v2: sstable/block/flush_governor.go).
func flushThreshold(target int) int { return (target*BlockSizeThreshold + 99) / 100 }

func (l *Library) TableOptions(cfg engine.Config) (engine.TableOptions, error) {
	c, err := l.Config(cfg)
	if err != nil {
		return engine.TableOptions{}, err
	}
	snappy := blockformat.SnappyNever
	switch c.Compression {
	case "none":
	case "snappy":
		snappy = l.Snappy
	default:
		return engine.TableOptions{}, fmt.Errorf(
			"tables compressed with %s cannot be built, because getio writes blocks with Snappy or as they are: take --option compression=snappy or compression=none",
			c.Compression)
	}
	format, err := l.rowFormat(c)
	if err != nil {
		return engine.TableOptions{}, err
	}
	return engine.TableOptions{
		Format:           format,
		BlockSize:        int(c.BlockSize),
		IndexBlockSize:   int(c.IndexBlockSize),
		RestartInterval:  c.BlockRestartInterval,
		Snappy:           snappy,
		BloomBits:        c.BloomBits,
		FlushAbove:       flushThreshold(int(c.BlockSize)),
		IndexFlushAbove:  flushThreshold(int(c.IndexBlockSize)),
		FlushAtThreshold: l.FlushAtThreshold,
	}, nil
}

// WriterConfig returns the configuration of a table of the given level that is to be written at path, with the errors of
// engine.Builder.NewTable.
func (l *Library) WriterConfig(path string, cfg engine.Config, level int) (*Config, error) {
	if _, err := l.TableOptions(cfg); err != nil {
		return nil, err
	}
	if err := checkLevel(path, level); err != nil {
		return nil, err
	}
	return l.Config(cfg)
}

// rowFormat returns the name of the format of tables, which the library writes as
// (Pebble,v2). It returns an error unless it is a row format with values stored in place.
func (l *Library) rowFormat(c *Config) (string, error) {
	name := strings.NewReplacer("(", "", ",", "", ")", "").Replace(l.TableFormat(c))
	because := "arrange their blocks in columns"
	switch name {
	case "RocksDBv2", "Pebblev1", "Pebblev2":
		return name, nil
	case "Pebblev4":
		because = "keep some values in blocks of their own and mark obsolete records"
	}
	return "", fmt.Errorf("tables of format %d of %s cannot be built, because they are %s tables, which %s: take --option format=%d",
		c.Format, l.EngineName, name, because, formatFlushableIngest)
}
