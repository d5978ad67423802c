package pebblestore_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v1provider "github.com/cockroachdb/pebble/objstorage/objstorageprovider"
	v1sstable "github.com/cockroachdb/pebble/sstable"
	v2 "github.com/cockroachdb/pebble/v2"
	v1vfs "github.com/cockroachdb/pebble/vfs"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
)

// The keys of a database of which a library has cut out the middle, so that
// what is left of a table are two virtual ones in one file.
const (
	exciseKeys            = 20_000
	cutFrom, cutTo        = 5_000, 15_000
	exciseIngested uint64 = 9_000 // v1 cuts only where it puts a table in
)

func exciseKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func excisedV1(t *testing.T, dir string) {
	t.Helper()
	db, err := v1.Open(dir, &v1.Options{FormatMajorVersion: v1.FormatNewest, Levels: []v1.LevelOptions{{BlockSize: 512, IndexBlockSize: 512}}, Logger: quiet{}})
	check(t, err)
	for n := range uint64(exciseKeys) {
		check(t, db.Set(exciseKey(n), exciseKey(n), v1.NoSync))
	}
	check(t, db.Flush())
	check(t, db.Compact(exciseKey(0), exciseKey(exciseKeys), false))
	path := filepath.Join(t.TempDir(), "ingested.sst")
	f, err := v1vfs.Default.Create(path)
	check(t, err)
	w := v1sstable.NewWriter(v1provider.NewFileWritable(f), v1sstable.WriterOptions{TableFormat: v1sstable.TableFormatPebblev4})
	check(t, w.Set(exciseKey(exciseIngested), exciseKey(exciseIngested)))
	check(t, w.Close())
	_, err = db.IngestAndExcise([]string{path}, nil, v1.KeyRange{Start: exciseKey(cutFrom), End: exciseKey(cutTo)})
	check(t, err)
	check(t, db.Close())
}

func excisedV2(t *testing.T, dir string) {
	t.Helper()
	o := &v2.Options{FormatMajorVersion: v2.FormatNewest, Logger: quiet{}}
	o.Levels[0] = v2.LevelOptions{BlockSize: 512, IndexBlockSize: 512}
	db, err := v2.Open(dir, o)
	check(t, err)
	for n := range uint64(exciseKeys) {
		check(t, db.Set(exciseKey(n), exciseKey(n), v2.NoSync))
	}
	check(t, db.Flush())
	ctx := context.Background()
	check(t, db.Compact(ctx, exciseKey(0), exciseKey(exciseKeys), false))
	check(t, db.Excise(ctx, v2.KeyRange{Start: exciseKey(cutFrom), End: exciseKey(cutTo)}))
	check(t, db.Set(exciseKey(exciseIngested), exciseKey(exciseIngested), v2.NoSync))
	check(t, db.Flush())
	check(t, db.Close())
}

// exciseHolds tells whether the key is in the database.
func exciseHolds(n uint64) bool { return n < cutFrom || n >= cutTo || n == exciseIngested }

func TestVirtualTables(t *testing.T) {
	for name, c := range map[string]struct {
		make   func(t *testing.T, dir string)
		engine engine.Engine
	}{
		"v1": {excisedV1, pebblev1.Engine},
		"v2": {excisedV2, pebblev2.Engine},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "db")
			c.make(t, dir)
			cfg, err := c.engine.Configure("", nil)
			check(t, err)
			s, err := c.engine.OpenStore(context.Background(), dir, cfg)
			check(t, err)
			defer s.Close()
			tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
			check(t, err)
			if total := s.Shape().Total(); total.Tables <= int64(len(tables)) {
				t.Fatalf("%d tables in %d files: none is virtual", total.Tables, len(tables))
			}
			t.Run("shape", func(t *testing.T) { virtualShape(t, s, tables) })
			t.Run("get", func(t *testing.T) { virtualGets(t, s) })
			t.Run("sampler", func(t *testing.T) { virtualSamples(t, s) })
		})
	}
}

// virtualShape is that of the keys that are left: half of the records.
func virtualShape(t *testing.T, s engine.Store, tables []string) {
	total := s.Shape().Total()
	if total.Records < exciseKeys*45/100 || total.Records > exciseKeys*55/100 {
		t.Errorf("%d records for %d keys", total.Records, exciseKeys/2)
	}
	var files int64
	for _, path := range tables {
		fi, err := os.Stat(path)
		check(t, err)
		files += fi.Size()
	}
	if total.Bytes > files*60/100 || total.Bytes < files*40/100 {
		t.Errorf("tables of %d bytes in files of %d", total.Bytes, files)
	}
}

// virtualGets find the keys that are left and no others, and their counts hold.
func virtualGets(t *testing.T, s engine.Store) {
	for _, cache := range []int64{0, 1 << 20} {
		db, err := s.Open(engine.OpenConfig{CacheBytes: cache})
		check(t, err)
		defer db.Close()
		before := db.Counts()
		for n := uint64(0); n < exciseKeys+10; n += 3 {
			_, found, err := db.Get(exciseKey(n), nil)
			check(t, err)
			if found != (n < exciseKeys && exciseHolds(n)) {
				t.Fatalf("key %d: found %v", n, found)
			}
		}
		run := db.Counts().Sub(before)
		for _, c := range db.Check(run) {
			if !c.OK {
				t.Errorf("cache %d: %s: %s", cache, c.Name, c.Detail)
			}
		}
		if run.Reads.Count.Sum() == 0 {
			t.Error("nothing was read")
		}
	}
}

// virtualSamples are keys that are left, as many below the gap as above it.
func virtualSamples(t *testing.T, s engine.Store) {
	sampler, err := s.Sampler()
	check(t, err)
	defer sampler.Close()
	const draws = 4000
	below := 0
	rand := rand.New(rand.NewPCG(1, 2)).Uint64
	for range draws {
		key, err := sampler.Draw(rand, nil)
		check(t, err)
		n := binary.BigEndian.Uint64(key)
		if !exciseHolds(n) {
			t.Fatalf("key %d was drawn, and was cut out", n)
		}
		if n < cutFrom {
			below++
		}
	}
	if below < draws*45/100 || below > draws*55/100 {
		t.Errorf("%d of %d draws are below the gap", below, draws)
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}
