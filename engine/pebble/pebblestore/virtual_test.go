package pebblestore_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v1bloom "github.com/cockroachdb/pebble/bloom"
	v1provider "github.com/cockroachdb/pebble/objstorage/objstorageprovider"
	v1sstable "github.com/cockroachdb/pebble/sstable"
	v2 "github.com/cockroachdb/pebble/v2"
	v2bloom "github.com/cockroachdb/pebble/v2/bloom"
	v1vfs "github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/enginetest"
	"getio/measure"
	"getio/measure/keysource"
	"getio/workload"
)

// Databases that getio does not make itself: the libraries write numbered keys, and delete
// or excise those from cutFrom to cutTo.
const (
	numbered              = 20_000
	cutFrom, cutTo        = 5_000, 15_000
	exciseIngested uint64 = 9_000 // written into the gap: v1 excises only where it ingests a table
)

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// writable is the database of either library, whose write options are O.
type writable[O any] interface {
	Set(key, value []byte, o O) error
	DeleteRange(from, to []byte, o O) error
	Flush() error
	Close() error
}

func writeNumbers[O any](t *testing.T, db writable[O], noSync O) {
	t.Helper()
	for n := range uint64(numbered) {
		require.NoError(t, db.Set(number(n), number(n), noSync))
	}
	require.NoError(t, db.Flush())
}

// deleteRange leaves tables of keys below one that holds nothing but a deleted range.
func deleteRange[O any](t *testing.T, db writable[O], noSync O) {
	t.Helper()
	writeNumbers(t, db, noSync)
	require.NoError(t, db.DeleteRange(number(cutFrom), number(cutTo), noSync))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
}

func rangeDeletedV1(t *testing.T, dir string) {
	level := v1.LevelOptions{BlockSize: 512, IndexBlockSize: 512, FilterPolicy: v1bloom.FilterPolicy(10)}
	db, err := v1.Open(dir, &v1.Options{DisableAutomaticCompactions: true, Levels: []v1.LevelOptions{level}, Logger: pebbledb.NewReadLogger()})
	require.NoError(t, err)
	deleteRange(t, db, v1.NoSync)
}

func rangeDeletedV2(format v2.FormatMajorVersion) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		o := &v2.Options{DisableAutomaticCompactions: true, FormatMajorVersion: format, Logger: pebbledb.NewReadLogger()}
		o.Levels[0] = v2.LevelOptions{BlockSize: 512, IndexBlockSize: 512, FilterPolicy: v2bloom.FilterPolicy(10)}
		db, err := v2.Open(dir, o)
		require.NoError(t, err)
		deleteRange(t, db, v2.NoSync)
	}
}

// excisedV1 leaves two virtual tables in one file.
func excisedV1(t *testing.T, dir string) {
	level := v1.LevelOptions{BlockSize: 512, IndexBlockSize: 512}
	db, err := v1.Open(dir, &v1.Options{FormatMajorVersion: v1.FormatNewest, Levels: []v1.LevelOptions{level}, Logger: pebbledb.NewReadLogger()})
	require.NoError(t, err)
	writeNumbers(t, db, v1.NoSync)
	require.NoError(t, db.Compact(number(0), number(numbered), false))
	path := filepath.Join(t.TempDir(), "ingested.sst")
	f, err := v1vfs.Default.Create(path)
	require.NoError(t, err)
	w := v1sstable.NewWriter(v1provider.NewFileWritable(f), v1sstable.WriterOptions{TableFormat: v1sstable.TableFormatPebblev4})
	require.NoError(t, w.Set(number(exciseIngested), number(exciseIngested)))
	require.NoError(t, w.Close())
	_, err = db.IngestAndExcise([]string{path}, nil, v1.KeyRange{Start: number(cutFrom), End: number(cutTo)})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func excisedV2(t *testing.T, dir string) {
	o := &v2.Options{FormatMajorVersion: v2.FormatNewest, Logger: pebbledb.NewReadLogger()}
	o.Levels[0] = v2.LevelOptions{BlockSize: 512, IndexBlockSize: 512}
	db, err := v2.Open(dir, o)
	require.NoError(t, err)
	writeNumbers(t, db, v2.NoSync)
	ctx := context.Background()
	require.NoError(t, db.Compact(ctx, number(0), number(numbered), false))
	require.NoError(t, db.Excise(ctx, v2.KeyRange{Start: number(cutFrom), End: number(cutTo)}))
	require.NoError(t, db.Set(number(exciseIngested), number(exciseIngested), v2.NoSync))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
}

// databases lists functions that each make a database, and the engine that reads it.
type databases map[string]struct {
	make   func(t *testing.T, dir string)
	engine engine.Engine
}

// each calls test with each database and the paths of its tables.
func (all databases) each(t *testing.T, test func(t *testing.T, s engine.Store, tables []string)) {
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "db")
			c.make(t, dir)
			cfg, err := c.engine.Configure("", nil)
			require.NoError(t, err)
			tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
			require.NoError(t, err)
			test(t, open(t, c.engine, dir, cfg), tables)
		})
	}
}

func TestTreesWithDeletedRanges(t *testing.T) {
	databases{
		"v1":          {rangeDeletedV1, pebblev1.Engine},
		"v2 rows":     {rangeDeletedV2(v2.FormatMinSupported), pebblev2.Engine},
		"v2 columnar": {rangeDeletedV2(v2.FormatNewest), pebblev2.Engine},
	}.each(t, func(t *testing.T, s engine.Store, _ []string) {
		if total := s.Shape().Total(); total.Tables < 2 {
			t.Fatalf("%d tables: none holds only a deleted range", total.Tables)
		}
		for _, exact := range []bool{false, true} {
			gets, err := keysource.Sampled(s, workload.Keys{Seed: 1, Absent: 0.2})
			require.NoError(t, err)
			defer gets.Close()
			r, err := measure.Measure(context.Background(), s, engine.OpenConfig{CacheBytes: 512 << 10}, gets,
				measure.Options{Workload: workload.Workload{Gets: 10_000, Warmup: workload.WarmupGets(0), Workers: 1}, Counted: measure.Counted{ExactSplit: exact}, TotalKeys: numbered})
			require.NoError(t, err)
			if !r.Checks.Hold() {
				t.Errorf("exact split %v: %+v", exact, r.Checks.Failed())
			}
			if *r.Components["data"].Accesses == 0 || r.IOsPerGet.Mean <= 0 {
				t.Errorf("exact split %v: %+v", exact, r.Components)
			}
		}
	})
}

func TestVirtualTables(t *testing.T) {
	databases{
		"v1": {excisedV1, pebblev1.Engine},
		"v2": {excisedV2, pebblev2.Engine},
	}.each(t, func(t *testing.T, s engine.Store, tables []string) {
		t.Run("shape", func(t *testing.T) { virtualShape(t, s, tables) })
		t.Run("get", func(t *testing.T) { virtualGets(t, s) })
		t.Run("sampler", func(t *testing.T) { virtualSamples(t, s) })
	})
}

// exciseHolds reports whether the key is in the database.
func exciseHolds(n uint64) bool {
	return n < cutFrom || n >= cutTo && n < numbered || n == exciseIngested
}

// virtualShape checks that the shape describes the keys that are left: half of the records.
func virtualShape(t *testing.T, s engine.Store, tables []string) {
	total := s.Shape().Total()
	require.Greater(t, total.Tables, int64(len(tables)), "no table is virtual")
	if total.Records < numbered*45/100 || total.Records > numbered*55/100 {
		t.Errorf("%d records for %d keys", total.Records, numbered/2)
	}
	var files int64
	for _, path := range tables {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		files += fi.Size()
	}
	if total.Bytes > files*60/100 || total.Bytes < files*40/100 {
		t.Errorf("tables of %d bytes in files of %d", total.Bytes, files)
	}
}

// virtualGets finds the keys that are left and no others. The counts must agree.
func virtualGets(t *testing.T, s engine.Store) {
	for _, cache := range []int64{0, 1 << 20} {
		db, err := s.Open(engine.OpenConfig{CacheBytes: cache})
		require.NoError(t, err)
		defer db.Close()
		run := enginetest.Measured(t, db, func() {
			for n := uint64(0); n < numbered+10; n += 3 {
				_, found, err := db.Get(number(n), nil)
				require.NoError(t, err)
				require.Equal(t, exciseHolds(n), found, "key %d", n)
			}
		})
		assert.NotZero(t, run.Reads.Count.Sum(), "nothing was read")
	}
}

// virtualSamples draws keys that are left, equally often below and above the gap.
func virtualSamples(t *testing.T, s engine.Store) {
	sampler, err := s.Sampler()
	require.NoError(t, err)
	defer sampler.Close()
	const draws = 4000
	below := 0
	for _, key := range enginetest.Draw(t, sampler, 1, draws) {
		n := binary.BigEndian.Uint64(key)
		require.True(t, exciseHolds(n), "key %d was drawn, and was cut out", n)
		if n < cutFrom {
			below++
		}
	}
	if below < draws*45/100 || below > draws*55/100 {
		t.Errorf("%d of %d draws are below the gap", below, draws)
	}
}
