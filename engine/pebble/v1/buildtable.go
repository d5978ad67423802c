package pebblev1

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/sstable"
	"github.com/cockroachdb/pebble/vfs"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

var _ engine.Builder = pebbleEngine{}

// tableFormat returns the format in which the library writes tables (v1: compaction.go,
// runCompaction). It writes Pebblev3 only with value blocks, which are off by default.
func tableFormat(c *pebbledb.Config) sstable.TableFormat {
	f := pebble.FormatMajorVersion(c.Format).MaxTableFormat()
	if f == sstable.TableFormatPebblev3 {
		return sstable.TableFormatPebblev2
	}
	return f
}

// tableWriter wraps the library's table writer.
type tableWriter struct{ sstable *sstable.Writer }

func (e pebbleEngine) NewTable(path string, cfg engine.Config, level int) (engine.TableWriter, error) {
	c, err := e.WriterConfig(path, cfg, level)
	if err != nil {
		return nil, err
	}
	options := tableOptions(c, level)
	f, err := vfs.Default.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f), options)
	if err := writtenByCompaction(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &tableWriter{w}, nil
}

// tableOptions returns the writer options of a compaction into the level.
func tableOptions(c *pebbledb.Config, level int) sstable.WriterOptions {
	o := writeOptions(c, pebbledb.NewLogger())
	defer o.Cache.Unref()
	options := o.EnsureDefaults().MakeWriterOptions(level, tableFormat(c))
	options.Cache = nil // the writer would only use it to drop cached blocks of the file number
	return options
}

// writtenByCompaction makes the writer write a table as a compaction does. The library
// marks external tables with two properties, a format version and a global sequence
// number. Compactions remove them with a hook that other packages cannot reach (v1:
// compaction.go, finishOutput).
func writtenByCompaction(w *sstable.Writer) error {
	field := reflect.ValueOf(w).Elem().FieldByName("props").FieldByName("ExternalFormatVersion")
	if !field.IsValid() || field.Kind() != reflect.Uint32 {
		return fmt.Errorf("the table writer of this %s has changed: getio needs an update for it", library.EngineName)
	}
	*(*uint32)(unsafe.Pointer(field.UnsafeAddr())) = 0
	return nil
}

func (w *tableWriter) Set(key []byte, seq uint64, value []byte) error {
	return w.sstable.Add(pebble.InternalKey{UserKey: key, Trailer: pebbledb.Trailer(seq)}, value)
}

func (w *tableWriter) Close() error { return w.sstable.Close() }
