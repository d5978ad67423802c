package pebblev1

import (
	"os"
	"testing"

	"getio/engine"
	"getio/internal/enginetest"
	"getio/internal/pebbletest"
)

var suite = enginetest.Suite{
	Engine:     Engine,
	TableFiles: "*.sst",
	Small:      pebbletest.Small,
}

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestConformance(t *testing.T) { suite.Run(t) }

var builder = enginetest.BuilderSuite{
	Engine: pebbleEngine{library},
	Natural: []enginetest.NaturalTree{
		{Name: "format 1", Preset: "bench_kvdb", Options: pebbletest.ManyLevels(), Levels: []int{0, 6}},
		{Name: "format 5", Preset: "bench_kvdb", Options: pebbletest.ManyLevels("format=5"), Levels: []int{0, 6}},
		{Name: "format 13", Preset: "bench_kvdb", Options: pebbletest.ManyLevels("format=13"), Levels: []int{0, 6}},
		{Name: "geth", Preset: "geth-v1", Options: pebbletest.ManyLevels(), Levels: []int{6}},
		{Name: "geth format 13", Preset: "geth-v1", Options: pebbletest.ManyLevels("format=13"), Levels: []int{6}},
		{Name: "uncompressed", Options: pebbletest.ManyLevels("compression=none", "format=13"), Levels: []int{0, 6}},
		{Name: "two-level", Options: pebbletest.ManyLevels("block_size=512", "index_block_size=512", "block_restart_interval=3"), Levels: []int{0, 6}, TwoLevel: true},
		{Name: "two-level format 13", Options: pebbletest.ManyLevels("block_size=1000", "index_block_size=300", "format=13", "bloom_bits=7"), Levels: []int{0, 6}, TwoLevel: true},
	},
	Hand: map[string][]string{
		"format 1":  nil,           // CURRENT names the MANIFEST
		"format 2":  {"format=2"},  // a marker names it as well
		"format 13": {"format=13"}, // CURRENT names one that does not exist
	},
	Records:        pebbletest.Records,
	OpenForWriting: openTreeForWriting,
}

func TestBuilder(t *testing.T)      { builder.Run(t) }
func BenchmarkInstall(b *testing.B) { builder.Benchmark(b) }

func TestRefusedForms(t *testing.T) {
	builder.RunRefused(t, "bench_kvdb", map[string]string{
		"format=15": "Pebblev4", "format=16": "Pebblev4",
	})
}

func TestMemtablesLeaveBlockMemory(t *testing.T) {
	pebbletest.MemtablesLeaveBlockMemory(t, pebbleEngine{library}, func(u engine.UpdatingDB) int64 {
		return u.(*updating).db.pebble.Metrics().BlockCache.Size
	})
}

func TestMemtablesTakeTheirPart(t *testing.T) {
	pebbletest.MemtablesTakeTheirPart(t, pebbleEngine{library})
}

// openTree is a database that its owner opened.
type openTree struct{ *loader }

func openTreeForWriting(dir string, cfg engine.Config) (enginetest.OpenTree, error) {
	l, err := Engine.Resume(dir, cfg)
	if err != nil {
		return nil, err
	}
	return openTree{l.(*loader)}, nil
}

func (o openTree) CheckLevels() error               { return o.pebble.CheckLevels(nil) }
func (o openTree) CompactAll(from, to []byte) error { return o.pebble.Compact(from, to, false) }

func (o openTree) Get(key []byte) ([]byte, error) {
	value, _, err := (&db{pebble: o.pebble}).Get(key, nil)
	return value, err
}
