package pebblev2

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

var _ engine.Builder = pebbleEngine{}

// tableFormat returns the format in which the library writes tables (v2:
// format_major_version.go, DB.TableFormat). It writes Pebblev3 only with value blocks,
// which are off by default.
func tableFormat(c *pebbledb.Config) sstable.TableFormat {
	f := pebble.FormatMajorVersion(c.Format).MaxTableFormat()
	if f == sstable.TableFormatPebblev3 {
		return sstable.TableFormatPebblev2
	}
	return f
}

// tableWriter wraps the library's table writer.
type tableWriter struct{ sstable sstable.RawWriter }

func (e pebbleEngine) NewTable(path string, cfg engine.Config, level int) (engine.TableWriter, error) {
	c, err := e.WriterConfig(path, cfg, level)
	if err != nil {
		return nil, err
	}
	options := tableOptions(c, level)
	f, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return &tableWriter{sstable.NewRawWriter(objstorageprovider.NewFileWritable(f), options)}, nil
}

// tableOptions returns the writer options of a compaction into the level.
func tableOptions(c *pebbledb.Config, level int) sstable.WriterOptions {
	o := writeOptions(c, pebbledb.NewLogger())
	defer o.Cache.Unref()
	o.EnsureDefaults()
	return o.MakeWriterOptions(level, tableFormat(c))
}

func (w *tableWriter) Set(key []byte, seq uint64, value []byte) error {
	const forceObsolete = false
	k := pebble.InternalKey{UserKey: key, Trailer: pebble.InternalKeyTrailer(pebbledb.Trailer(seq))}
	return w.sstable.Add(k, value, forceObsolete)
}

func (w *tableWriter) Close() error { return w.sstable.Close() }
