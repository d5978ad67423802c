package pebblev2

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"getio/engine"
	"getio/internal/enginetest"
	"getio/internal/pebbletest"
)

var suite = enginetest.Suite{
	Engine:     Engine,
	TableFiles: "*.sst",
	Small:      pebbletest.Small,
	Variants: map[string][]string{
		"columnar": {fmt.Sprintf("format=%d", pebble.FormatNewest)},
	},
}

func TestMain(m *testing.M) { os.Exit(suite.Main(m)) }

func TestConformance(t *testing.T) { suite.Run(t) }

var builder = enginetest.BuilderSuite{
	Engine: pebbleEngine{library},
	Natural: []enginetest.NaturalTree{
		{Name: "format 13", Preset: "bench_kvdb", Options: pebbletest.ManyLevels(), Levels: []int{0, 6}},
		{Name: "format 14", Preset: "bench_kvdb", Options: pebbletest.ManyLevels("format=14"), Levels: []int{0, 6}},
		{Name: "geth", Preset: "geth", Options: pebbletest.ManyLevels(), Levels: []int{6}},
		{Name: "no filter in L6", Options: pebbletest.ManyLevels("bloom_bits.L6=0"), Levels: []int{0, 6}},
		{Name: "uncompressed", Options: pebbletest.ManyLevels("compression=none"), Levels: []int{0, 6}},
		{Name: "two-level", Options: pebbletest.ManyLevels("block_size=512", "index_block_size=512", "block_restart_interval=3"), Levels: []int{0, 6}, TwoLevel: true},
		{Name: "odd sizes", Options: pebbletest.ManyLevels("block_size=1000", "index_block_size=300", "bloom_bits=7"), Levels: []int{0, 6}, TwoLevel: true},
	},
	Hand:           map[string][]string{"format 13": nil},
	Records:        pebbletest.Records,
	OpenForWriting: openTreeForWriting,
}

func TestBuilder(t *testing.T)      { builder.Run(t) }
func BenchmarkInstall(b *testing.B) { builder.Benchmark(b) }

func TestRefusedForms(t *testing.T) {
	builder.RunRefused(t, "bench_kvdb", map[string]string{
		"format=15": "Pebblev4", "format=18": "Pebblev4", "format=19": "columns", "format=24": "columns",
		"compression=zstd": "zstd", "compression=fastest": "fastest",
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

func (o openTree) CheckLevels() error { return o.pebble.CheckLevels(nil) }

func (o openTree) CompactAll(from, to []byte) error {
	return o.pebble.Compact(context.Background(), from, to, false)
}

func (o openTree) Get(key []byte) ([]byte, error) {
	value, _, err := (&db{pebble: o.pebble}).Get(key, nil)
	return value, err
}
