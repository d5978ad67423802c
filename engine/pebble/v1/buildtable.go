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
	"getio/tree/blockformat"
)

var _ engine.Builder = pebbleEngine{}

// rowFormats are the table formats that engine.TableOptions describes.
var rowFormats = map[sstable.TableFormat]string{
	sstable.TableFormatRocksDBv2: "RocksDBv2",
	sstable.TableFormatPebblev1:  "Pebblev1",
	sstable.TableFormatPebblev2:  "Pebblev2",
}

// tableFormat is the format that the library writes tables in (v1:
// compaction.go, runCompaction): in the format versions that have Pebblev3 for
// their newest, only with value blocks, which are off by default.
func tableFormat(c *pebbledb.Config) sstable.TableFormat {
	f := pebble.FormatMajorVersion(c.Format).MaxTableFormat()
	if f == sstable.TableFormatPebblev3 {
		return sstable.TableFormatPebblev2
	}
	return f
}

// TableOptions implements engine.Builder.
func (pebbleEngine) TableOptions(cfg engine.Config) (engine.TableOptions, error) {
	c, err := config(cfg)
	if err != nil {
		return engine.TableOptions{}, err
	}
	form, err := c.TableForm()
	if err != nil {
		return engine.TableOptions{}, err
	}
	var ok bool
	if form.Format, ok = rowFormats[tableFormat(c)]; !ok {
		return engine.TableOptions{}, c.UnsupportedFormat("Pebblev4", "keep some values in blocks of their own and mark obsolete records")
	}
	if form.Snappy != blockformat.SnappyNever {
		form.Snappy = blockformat.SnappyEighth
	}
	return form, nil
}

// tableWriter is the library's own.
type tableWriter struct{ sstable *sstable.Writer }

// NewTable implements engine.Builder.
func (e pebbleEngine) NewTable(path string, cfg engine.Config, level int) (engine.TableWriter, error) {
	if _, err := e.TableOptions(cfg); err != nil {
		return nil, err
	}
	if err := pebbledb.CheckLevel(path, level); err != nil {
		return nil, err
	}
	options := tableOptions(cfg.(*pebbledb.Config), level)
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

// tableOptions are those of a compaction's output at the level.
func tableOptions(c *pebbledb.Config, level int) sstable.WriterOptions {
	o := writeOptions(c, pebbledb.NewLogger())
	defer o.Cache.Unref()
	options := o.EnsureDefaults().MakeWriterOptions(level, tableFormat(c))
	options.Cache = nil // only there to forget blocks of the file's number
	return options
}

// writtenByCompaction makes the writer's table one of the database's own. The
// library marks tables of other makers with a version of their format and a
// global sequence number, and takes the mark off for itself by a hook that no
// other package can reach (v1: compaction.go, finishOutput).
func writtenByCompaction(w *sstable.Writer) error {
	field := reflect.ValueOf(w).Elem().FieldByName("props").FieldByName("ExternalFormatVersion")
	if !field.IsValid() || field.Kind() != reflect.Uint32 {
		return fmt.Errorf("the table writer of this %s has changed: getio needs an update for it", library.Name)
	}
	*(*uint32)(unsafe.Pointer(field.UnsafeAddr())) = 0
	return nil
}

func (w *tableWriter) Set(key []byte, seq uint64, value []byte) error {
	return w.sstable.Add(pebble.InternalKey{UserKey: key, Trailer: pebbledb.Trailer(seq)}, value)
}

func (w *tableWriter) Close() error { return w.sstable.Close() }
