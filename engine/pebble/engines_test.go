package pebble_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble"
	pebble2 "github.com/cockroachdb/pebble/v2"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/pebbletest"
)

var v1 = builderSuite{
	Engine: pebblev1.Engine.(engine.Builder),
	Natural: []naturalTree{
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
	OpenForWriting: func(dir string) (openTree, error) {
		db, err := pebble.Open(dir, &pebble.Options{ErrorIfNotExists: true, Logger: silent{}})
		return tree1{db}, err
	},
}

var v2 = builderSuite{
	Engine: pebblev2.Engine.(engine.Builder),
	Natural: []naturalTree{
		{Name: "format 13", Preset: "bench_kvdb", Options: pebbletest.ManyLevels(), Levels: []int{0, 6}},
		{Name: "format 14", Preset: "bench_kvdb", Options: pebbletest.ManyLevels("format=14"), Levels: []int{0, 6}},
		{Name: "geth", Preset: "geth", Options: pebbletest.ManyLevels(), Levels: []int{6}},
		{Name: "no filter in L6", Options: pebbletest.ManyLevels("bloom_bits.L6=0"), Levels: []int{0, 6}},
		{Name: "uncompressed", Options: pebbletest.ManyLevels("compression=none"), Levels: []int{0, 6}},
		{Name: "two-level", Options: pebbletest.ManyLevels("block_size=512", "index_block_size=512", "block_restart_interval=3"), Levels: []int{0, 6}, TwoLevel: true},
		{Name: "odd sizes", Options: pebbletest.ManyLevels("block_size=1000", "index_block_size=300", "bloom_bits=7"), Levels: []int{0, 6}, TwoLevel: true},
	},
	Hand: map[string][]string{"format 13": nil},
	OpenForWriting: func(dir string) (openTree, error) {
		db, err := pebble2.Open(dir, &pebble2.Options{ErrorIfNotExists: true, Logger: silent{}})
		return tree2{db}, err
	},
}

func TestV1(t *testing.T)             { v1.run(t) }
func TestV2(t *testing.T)             { v2.run(t) }
func BenchmarkInstallV1(b *testing.B) { v1.benchmark(b) }
func BenchmarkInstallV2(b *testing.B) { v2.benchmark(b) }

func TestRefusedForms(t *testing.T) {
	v1.runRefused(t, "bench_kvdb", map[string]string{
		"format=15": "Pebblev4", "format=16": "Pebblev4",
	})
	v2.runRefused(t, "bench_kvdb", map[string]string{
		"format=15": "Pebblev4", "format=18": "Pebblev4", "format=19": "columns", "format=24": "columns",
		"compression=zstd": "zstd", "compression=fastest": "fastest",
	})
}

// silent drops what the libraries log.
type silent struct{}

func (silent) Infof(string, ...any)              {}
func (silent) Errorf(string, ...any)             {}
func (silent) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// tree1 and tree2 are databases that their owner opened.
type (
	tree1 struct{ *pebble.DB }
	tree2 struct{ *pebble2.DB }
)

func (o tree1) CheckLevels() error               { return o.DB.CheckLevels(nil) }
func (o tree1) CompactAll(from, to []byte) error { return o.Compact(from, to, false) }
func (o tree1) Set(key, value []byte) error      { return o.DB.Set(key, value, pebble.NoSync) }
func (o tree1) Get(key []byte) ([]byte, error)   { return copied(o.DB.Get(key)) }

func (o tree2) CheckLevels() error { return o.DB.CheckLevels(nil) }
func (o tree2) CompactAll(from, to []byte) error {
	return o.Compact(context.Background(), from, to, false)
}
func (o tree2) Set(key, value []byte) error    { return o.DB.Set(key, value, pebble2.NoSync) }
func (o tree2) Get(key []byte) ([]byte, error) { return copied(o.DB.Get(key)) }

// copied copies a value that a library returned, and closes it.
func copied(value []byte, closer io.Closer, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return bytes.Clone(value), closer.Close()
}
