// Package goleveldb is goleveldb alone.
package goleveldb

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/util"

	"getio/internal/truth"
)

// Library is goleveldb.
var Library = truth.Library{
	Name: "goleveldb", Lacks: []truth.Kind{truth.SingleDelete, truth.Merge, truth.DeleteRange}, Write: write, Open: open,
}

// written is a database that is being written.
type written struct {
	*leveldb.DB
	dir       string
	snapshots []*leveldb.Snapshot
}

// open opens the database with tables so small that few keys make several levels.
func (w *written) open(paused bool) (err error) {
	o := &opt.Options{
		Filter: filter.NewBloomFilter(10), WriteBuffer: 512 << 10, CompactionTableSize: 128 << 10, CompactionTotalSize: 1 << 20,
		DisableSeeksCompaction: true,
	}
	if paused {
		const never = 10_000
		o.CompactionL0Trigger, o.WriteL0SlowdownTrigger, o.WriteL0PauseTrigger = never, never, never
		o.CompactionTotalSize = 1 << 40
	}
	w.DB, err = leveldb.OpenFile(w.dir, o)
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
		s.Release()
	}
	return w.Close()
}

func (w *written) apply(op truth.Operation) error {
	switch op.Kind {
	case truth.Set:
		return w.Put(op.Key, op.Value, nil)
	case truth.Delete:
		return w.Delete(op.Key, nil)
	case truth.Snapshot:
		s, err := w.GetSnapshot()
		w.snapshots = append(w.snapshots, s)
		return err
	case truth.Flush:
		// A transaction begins by flushing the memtable.
		t, err := w.OpenTransaction()
		if err == nil {
			t.Discard()
		}
		return err
	case truth.Compact:
		return w.CompactRange(util.Range{})
	case truth.Pause:
		if err := w.Close(); err != nil {
			return err
		}
		return w.open(true)
	}
	return fmt.Errorf("operation %d: goleveldb does not have it", op.Kind)
}

// countedStorage counts the reads of tables.
type countedStorage struct {
	storage.Storage
	counter *truth.Counter
}

func (s countedStorage) Open(fd storage.FileDesc) (storage.Reader, error) {
	file, err := s.Storage.Open(fd)
	if err == nil && fd.Type == storage.TypeTable {
		return countedFile{file, s.counter}, nil
	}
	return file, err
}

type countedFile struct {
	storage.Reader
	counter *truth.Counter
}

func (f countedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.counter.Add(len(p))
	return f.Reader.ReadAt(p, offset)
}

// reader is a database opened read-only.
type reader struct {
	*leveldb.DB
	files   storage.Storage
	counter truth.Counter
	entries []truth.Entry
}

func open(dir string, c truth.Cache) (truth.Reader, error) {
	files, err := storage.OpenFile(dir, true)
	if err != nil {
		return nil, err
	}
	r := &reader{files: files}
	r.DB, err = leveldb.Open(countedStorage{files, &r.counter}, &opt.Options{
		ReadOnly: true, Filter: filter.NewBloomFilter(10), BlockCacheCapacity: int(c.Bytes), OpenFilesCacheCapacity: 10_000,
		DisableSeeksCompaction: true,
	})
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	it := r.NewIterator(nil, nil)
	defer it.Release()
	for it.Next() {
		r.entries = append(r.entries, truth.Entry{Key: bytes.Clone(it.Key()), ValueBytes: int64(len(it.Value()))})
	}
	return r, it.Error()
}

func (r *reader) Entries() ([]truth.Entry, error) { return r.entries, nil }

func (r *reader) Gets(n int64, workers int, seed uint64) (truth.Reads, error) {
	return r.counter.Gets(n, workers, seed, r.entries, func(key []byte) (bool, error) {
		_, err := r.Get(key, nil)
		if errors.Is(err, leveldb.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	})
}

func (r *reader) Close() error { return errors.Join(r.DB.Close(), r.files.Close()) }
