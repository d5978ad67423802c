package main

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"strconv"

	v1 "github.com/cockroachdb/pebble"
	v2 "github.com/cockroachdb/pebble/v2"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"
	"getio/system/filesystem"
	"getio/workload/dataset"
)

func scriptWhole(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseUint(args[1], 10, 64)
	ts.Check(err)
	ts.Check(checkWhole(ts.MkAbs(args[0]), n))
}

// checkWhole reads every key of a dataset with its value, and counts the keys
// with the library's own iterator.
func checkWhole(dir string, n uint64) error {
	d, err := database.Open(context.Background(), engines.All(), dir, database.OpenOptions{})
	if err != nil {
		return err
	}
	defer d.Close()
	m := d.Manifest
	if m == nil || !m.Complete || m.Keys != n {
		return fmt.Errorf("%s is no complete dataset of %d keys: %+v", dir, n, m)
	}
	all := func(yield func(i uint64) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
	if err := checkValues(d, all, (*dataset.Values).Check); err != nil {
		return err
	}
	if m.Build == dataset.BuildVirtual { // only getio reads its data blocks
		if got := d.Store.Shape().Total().Records; got != int64(n) {
			return fmt.Errorf("%s holds %d records, want %d", dir, got, n)
		}
		return nil
	}
	files := m.DBDir(dir)
	count := map[string]func(dir string) (uint64, error){
		"pebblev1": countV1, "pebblev2": countV2, "goleveldb": countLevelDB,
		"rocksdb": func(string) (uint64, error) { return countScanned(d.Store) },
	}
	if got, err := count[d.Engine.Name()](files); err != nil || got != n {
		return fmt.Errorf("%s holds %d keys, want %d (%v)", files, got, n, err)
	}
	return nil
}

// checkValues requires that the keys with these numbers are in the database, with right values.
func checkValues(d *database.Database, numbers iter.Seq[uint64], right func(values *dataset.Values, i uint64, value []byte) bool) error {
	keys, err := d.Manifest.NewKeyspace()
	if err != nil {
		return err
	}
	values, err := d.Manifest.NewValues()
	if err != nil {
		return err
	}
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: 64 << 20})
	if err != nil {
		return err
	}
	defer db.Close()
	var key [dataset.KeySize]byte
	var value []byte
	for i := range numbers {
		keys.Key(i, &key)
		got, found, err := db.Get(key[:], value)
		if err != nil || !found || !right(values, i, got) {
			return fmt.Errorf("key %d: found %v, value %x, error %v", i, found, got, err)
		}
		value = got
	}
	return nil
}

// checkUpdated requires that the only round of updates is finished, and that the keys that it drew have their new values.
func checkUpdated(dir string) error {
	d, err := database.Open(context.Background(), engines.All(), dir, database.OpenOptions{})
	if err != nil {
		return err
	}
	defer d.Close()
	m := d.Manifest
	if len(m.Updates) != 1 || !m.Updates[0].Finished {
		return fmt.Errorf("%s does not say that its updates are finished: %+v", dir, m.Updates)
	}
	updated := func(yield func(i uint64) bool) {
		for n := range m.Updates[0].Writes {
			if !yield(m.Updates[0].Key(n, m.Keys)) {
				return
			}
		}
	}
	return checkValues(d, updated, func(values *dataset.Values, i uint64, value []byte) bool {
		return bytes.Equal(value, values.Updated(i, 1, nil))
	})
}

// countScanned counts with a scan, where there is no other way to the library.
func countScanned(s engine.Store) (n uint64, err error) {
	db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	ordered, err := engine.AsOrdered(db, s.Info())
	if err != nil {
		return 0, err
	}
	err = ordered.Scan(nil, nil, func(_, _ []byte) error {
		n++
		return nil
	})
	return n, err
}

func countV1(dir string) (n uint64, err error) {
	db, err := v1.Open(dir, &v1.Options{ReadOnly: true, Logger: silent{}})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	iter, err := db.NewIter(nil)
	if err != nil {
		return 0, err
	}
	return countKeys(iter)
}

func countV2(dir string) (n uint64, err error) {
	db, err := v2.Open(dir, &v2.Options{ReadOnly: true, Logger: silent{}})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	iter, err := db.NewIter(nil)
	if err != nil {
		return 0, err
	}
	return countKeys(iter)
}

// countKeys counts the keys of an iterator of Pebble, which it closes.
func countKeys(iter interface {
	First() bool
	Next() bool
	Close() error
}) (n uint64, err error) {
	for ok := iter.First(); ok; ok = iter.Next() {
		n++
	}
	return n, iter.Close()
}

func countLevelDB(dir string) (n uint64, err error) {
	db, err := leveldb.OpenFile(dir, &opt.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	iter := db.NewIterator(nil, nil)
	defer iter.Release()
	for iter.Next() {
		n++
	}
	return n, iter.Error()
}

// silent keeps what the libraries log off the tests' output.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// scriptSameTables holds the tables of two datasets against each other.
func scriptSameTables(ts *testscript.TestScript, _ bool, args []string) {
	a, err := tableSums(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := tableSums(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(a) == 0 || !maps.Equal(a, b) {
		ts.Fatalf("%s has %d tables that are not those of %s, which has %d", args[0], len(a), args[1], len(b))
	}
}

// tableSums are the SHA-256 of a dataset's tables, by name.
func tableSums(dir string) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "db", "*.sst"))
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, path := range paths {
		if sums[filepath.Base(path)], err = filesystem.SHA256(path); err != nil {
			return nil, err
		}
	}
	return sums, nil
}
