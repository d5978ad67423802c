// Code generated from internal/probetest/pebblev2.go by engine/pebble/generate. DO NOT EDIT.

package probetest

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/vfs"
)

// pebbleV1 is a database of Pebble v1.
type pebbleV1 struct{ db *pebble.DB }

func openPebbleV1(dir string, cache int64, tables tableReads) (store, error) {
	c := pebble.NewCache(cache)
	defer c.Unref()
	o := &pebble.Options{
		Cache: c, FS: notingV1{vfs.Default, tables}, MaxOpenFiles: 50, MemTableSize: 1 << 20, L0CompactionThreshold: 2,
		Logger: silentV1{},
	}
	o.EnsureDefaults()
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].IndexBlockSize = 4 << 10
	}
	db, err := pebble.Open(dir, o)
	if err != nil {
		return nil, err
	}
	return &pebbleV1{db}, nil
}

func (p *pebbleV1) Get(key []byte) (bool, error) {
	_, c, err := p.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, c.Close()
}

func (p *pebbleV1) Write(keys [][]byte, value []byte) error {
	b := p.db.NewBatch()
	for _, k := range keys {
		if err := b.Set(k, value, nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

func (p *pebbleV1) Scan(from []byte, n int) error {
	it, err := p.db.NewIter(nil)
	if err != nil {
		return err
	}
	for ok := it.SeekGE(from); ok && n > 0; ok = it.Next() {
		n--
	}
	return it.Close()
}

func (p *pebbleV1) CacheAccesses() int64 {
	m := p.db.Metrics()
	return m.BlockCache.Hits + m.BlockCache.Misses
}

func (p *pebbleV1) Close() error { return p.db.Close() }

// notingV1 is a file system that notes reads of tables.
type notingV1 struct {
	vfs.FS
	tables tableReads
}

func (f notingV1) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err != nil || filepath.Ext(name) != ".sst" {
		return file, err
	}
	reader, err := f.tables.reader(file, name)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &notedV1{file, reader}, nil
}

// Remove keeps tables: whether the map of one that is gone can be had is a matter of time.
func (f notingV1) Remove(name string) error {
	if filepath.Ext(name) == ".sst" {
		return nil
	}
	return f.FS.Remove(name)
}

type notedV1 struct {
	vfs.File
	reader io.ReaderAt
}

func (f *notedV1) ReadAt(b []byte, off int64) (int, error) { return f.reader.ReadAt(b, off) }

type silentV1 struct{}

func (silentV1) Infof(string, ...any)  {}
func (silentV1) Errorf(string, ...any) {}
func (silentV1) Fatalf(string, ...any) {}
