package pebblev1

import (
	"os"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/sstable"

	"getio/engine"
	"getio/engine/enginetest"
	"getio/engine/pebble/pebbledb"
)

// small makes a tree of a few thousand keys have many levels.
var small = []string{
	"target_file_size=64KiB", "memtable_size=256KiB", "lbase_max_bytes=64KiB", "l0_stop_writes_threshold=1000",
}

func smallWith(options ...string) []string { return append(options, small...) }

var builder = enginetest.BuilderSuite{
	Engine: pebbleEngine{},
	Natural: []enginetest.NaturalTree{
		{Name: "format 1", Preset: "bench_kvdb", Options: small, Levels: []int{0, 6}},
		{Name: "format 5", Preset: "bench_kvdb", Options: smallWith("format=5"), Levels: []int{0, 6}},
		{Name: "format 13", Preset: "bench_kvdb", Options: smallWith("format=13"), Levels: []int{0, 6}},
		{Name: "geth", Preset: "geth-v1", Options: small, Levels: []int{6}},
		{Name: "geth format 13", Preset: "geth-v1", Options: smallWith("format=13"), Levels: []int{6}},
		{Name: "uncompressed", Options: smallWith("compression=none", "format=13"), Levels: []int{0, 6}},
		{Name: "two-level", Options: smallWith("block_size=512", "index_block_size=512", "block_restart_interval=3"), Levels: []int{0, 6}, TwoLevel: true},
		{Name: "two-level format 13", Options: smallWith("block_size=1000", "index_block_size=300", "format=13", "bloom_bits=7"), Levels: []int{0, 6}, TwoLevel: true},
	},
	Hand: map[string][]string{
		"format 1":  nil,           // CURRENT names the MANIFEST
		"format 2":  {"format=2"},  // a marker names it as well
		"format 13": {"format=13"}, // CURRENT names one that does not exist
	},
	Records:        tableRecords,
	OpenForWriting: openForWriting,
}

func TestBuilder(t *testing.T)      { builder.Run(t) }
func BenchmarkInstall(b *testing.B) { builder.Benchmark(b) }

func TestRefusedForms(t *testing.T) {
	for preset, refused := range map[string]map[string]string{
		"bench_kvdb": {"format=15": "Pebblev4", "format=16": "Pebblev4"},
	} {
		builder.RunRefused(t, preset, refused)
	}
}

func tableRecords(path string) (records []enginetest.Record, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return nil, err
	}
	r, err := sstable.NewReader(readable, sstable.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	iter, err := r.NewIter(nil, nil)
	if err != nil {
		return nil, err
	}
	defer iter.Close()
	for key, value := iter.First(); key != nil; key, value = iter.Next() {
		v, _, err := value.Value(nil)
		if err != nil {
			return nil, err
		}
		k := key.Clone()
		if pebbledb.Trailer(k.SeqNum()) != k.Trailer {
			panic("a record of another kind than set")
		}
		records = append(records, enginetest.Record{Key: k.UserKey, Seq: k.SeqNum(), Value: append([]byte{}, v...)})
	}
	return records, nil
}

type openTree struct{ *pebble.DB }

func openForWriting(dir string, cfg engine.Config) (enginetest.OpenTree, error) {
	l, err := Engine.Resume(dir, cfg)
	if err != nil {
		return nil, err
	}
	return openTree{l.(*loader).pebble}, nil
}

func (o openTree) CheckLevels() error               { return o.DB.CheckLevels(nil) }
func (o openTree) Set(key, value []byte) error      { return o.DB.Set(key, value, pebble.NoSync) }
func (o openTree) CompactAll(from, to []byte) error { return o.DB.Compact(from, to, false) }

func (o openTree) Get(key []byte) ([]byte, error) {
	v, closer, err := o.DB.Get(key)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return append([]byte{}, v...), nil
}
