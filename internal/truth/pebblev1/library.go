// Code generated from internal/truth/pebblev2/library.go by engine/pebble/generate. DO NOT EDIT.

// Package pebblev1 is Pebble v1 alone.
package pebblev1

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/vfs"

	"getio/internal/truth"
)

// Library is Pebble v1.
var Library = truth.Library{Name: "pebblev1", Write: write, Open: open}

// silent drops what the library logs.
type silent struct{}

func (silent) Infof(string, ...any)           {}
func (silent) Errorf(string, ...any)          {}
func (silent) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

// written is a database that is being written.
type written struct {
	*pebble.DB
	dir       string
	snapshots []*pebble.Snapshot
}

// open opens the database with tables so small that few keys make several levels.
func (w *written) open(paused bool) (err error) {
	const tableBytes = 128 << 10
	o := &pebble.Options{
		FormatMajorVersion: pebble.FormatNewest, MemTableSize: 512 << 10, LBaseMaxBytes: 1 << 20, Logger: silent{},
		DisableAutomaticCompactions: paused, L0StopWritesThreshold: 1000,
	}
	setLevels(o, bloom.FilterPolicy(10), tableBytes)
	w.DB, err = pebble.Open(w.dir, o)
	return err
}

func write(dir string, t truth.Tree) error {
	w := &written{dir: dir}
	if err := w.open(false); err != nil {
		return err
	}
	for op := range t.Operations {
		if err := w.apply(op); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	for _, s := range w.snapshots {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return w.Close()
}

func (w *written) apply(op truth.Operation) error {
	switch op.Kind {
	case truth.Set:
		return w.Set(op.Key, op.Value, pebble.NoSync)
	case truth.Delete:
		return w.Delete(op.Key, pebble.NoSync)
	case truth.SingleDelete:
		return w.SingleDelete(op.Key, pebble.NoSync)
	case truth.Merge:
		return w.Merge(op.Key, op.Value, pebble.NoSync)
	case truth.DeleteRange:
		return w.DeleteRange(op.Key, op.Value, pebble.NoSync)
	case truth.Snapshot:
		w.snapshots = append(w.snapshots, w.NewSnapshot())
		return nil
	case truth.Flush:
		return w.Flush()
	case truth.Compact:
		return compact(w.DB, nil, bytes.Repeat([]byte{0xff}, 40))
	case truth.Pause:
		if err := w.Close(); err != nil {
			return err
		}
		return w.open(true)
	}
	return fmt.Errorf("unknown operation %d", op.Kind)
}

// reader counts reads of tables.
type reader struct {
	*pebble.DB
	counter truth.Counter
	entries []truth.Entry
}

// countedFS counts the reads of tables.
type countedFS struct {
	vfs.FS
	counter *truth.Counter
}

func (f countedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err == nil && strings.HasSuffix(name, ".sst") {
		return countedFile{file, f.counter}, nil
	}
	return file, err
}

type countedFile struct {
	vfs.File
	counter *truth.Counter
}

func (f countedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.counter.Add(len(p))
	return f.File.ReadAt(p, offset)
}

func open(dir string, c truth.Cache) (truth.Reader, error) {
	if c.Bytes <= 64<<20 && c.Shards != 4 {
		return nil, fmt.Errorf("a cache of %d bytes and %d shards: Pebble makes 4", c.Bytes, c.Shards)
	}
	// Memtables take room from the cache, as many bytes as the log needs. What they take beyond the reserved bytes
	// is added, so that blocks have the same room.
	probe, err := openWith(dir, c.Bytes)
	if err != nil {
		return nil, err
	}
	m := probe.Metrics().MemTable
	if err := probe.Close(); err != nil {
		return nil, err
	}
	r, err := openWith(dir, c.Bytes-c.Reserved+int64(m.Size+m.ZombieSize))
	if err != nil {
		return nil, err
	}
	r.entries, err = r.list()
	return r, err
}

func openWith(dir string, cacheBytes int64) (*reader, error) {
	r := new(reader)
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	policy := bloom.FilterPolicy(10)
	db, err := pebble.Open(dir, &pebble.Options{
		ReadOnly: true, Cache: cache, FS: countedFS{vfs.Default, &r.counter}, MaxOpenFiles: 10_000, DisableAutomaticCompactions: true,
		Filters: map[string]pebble.FilterPolicy{policy.Name(): policy}, Logger: silent{},
	})
	r.DB = db
	return r, err
}

// list returns all keys. The Gets of the warm-up replace what it leaves in the cache.
func (r *reader) list() (entries []truth.Entry, err error) {
	it, err := r.NewIter(nil)
	if err != nil {
		return nil, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, errors.Join(err, it.Close())
		}
		entries = append(entries, truth.Entry{Key: bytes.Clone(it.Key()), ValueBytes: int64(len(value))})
	}
	return entries, it.Close()
}

func (r *reader) Entries() ([]truth.Entry, error) { return r.entries, nil }

func (r *reader) Gets(n int64, workers int, seed uint64) (truth.Reads, error) {
	return r.counter.Gets(n, workers, seed, r.entries, func(key []byte) (bool, error) {
		_, closer, err := r.Get(key)
		switch {
		case err == nil:
			return true, closer.Close()
		case errors.Is(err, pebble.ErrNotFound):
			return false, nil
		}
		return false, err
	})
}
