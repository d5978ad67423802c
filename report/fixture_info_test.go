package report

import (
	"fmt"
	"maps"

	"getio/dataset"
	"getio/engine"
)

// infos are databases to print, by name.
var infos = map[string]engine.Info{
	"getio": {
		Dir: "data/small/db", Engine: "pebblev1", Version: "v1.1.5", Format: 1,
		Comparer: "leveldb.BytewiseComparator", Merger: "pebble.concatenate",
		TableFormats: map[string]int{"(RocksDB,v2)": 1418},
		OptionsFile:  gethOptionsFile(),
	},
	"chaindata": {
		Dir: "/srv/geth/chaindata", Engine: "pebblev2", Version: "v2.1.7", Format: 13,
		Comparer: "leveldb.BytewiseComparator", Merger: "pebble.concatenate",
		TableFormats: map[string]int{"(Pebble,v2)": 18, "(Pebble,v4)": 34629, "(RocksDB,v2)": 1},
		WALKeys:      12345, WALBytes: 4 << 20,
		OptionsFile: gethOptionsFile(),
	},
	"old_log": {
		Dir: "chaindata", Engine: "pebblev2", Version: "v2.1.7", Format: 13,
		Comparer: "leveldb.BytewiseComparator", Merger: "pebble.concatenate",
		TableFormats: map[string]int{"(Pebble,v4)": 40}, WALBytes: 189 << 20,
	},
	"absent": {},
}

// gethOptionsFile is what matters of the options file that geth's database
// has, and some of what does not.
func gethOptionsFile() map[string]string {
	o := map[string]string{
		"Version.pebble_version": "0.1",
		"Options.cache_size":     "16777216", "Options.cleaner": "delete",
		"Options.l0_compaction_threshold": "2", "Options.l0_stop_writes_threshold": "12",
		"Options.lbase_max_bytes": "67108864", "Options.max_open_files": "10000",
		"Options.mem_table_size": "2097151", "Options.mem_table_stop_writes_threshold": "8",
	}
	for level := range 7 {
		section := fmt.Sprintf("Level %q.", fmt.Sprint(level))
		o[section+"block_restart_interval"] = "16"
		o[section+"block_size"] = "4096"
		o[section+"index_block_size"] = "4096"
		o[section+"compression"] = "Snappy"
		o[section+"filter_policy"] = "rocksdb.BuiltinBloomFilter"
		o[section+"target_file_size"] = fmt.Sprint(2 << 20 << level)
	}
	o[`Level "6".filter_policy`] = "none"
	return o
}

// effective are options as a configuration lists them.
func effective(overrides map[string]string) map[string]string {
	o := map[string]string{
		"block_size": "4KiB", "index_block_size": "4KiB", "block_restart_interval": "16", "bloom_bits": "10",
		"compression": "snappy", "format": "1", "max_open_files": "524288", "memtable_size": "128MiB",
		"memtable_stop_writes": "2", "l0_compaction_threshold": "4", "l0_stop_writes_threshold": "12",
		"lbase_max_bytes": "64MiB", "load_cache": "512MiB",
	}
	for level := range 7 {
		o[fmt.Sprintf("target_file_size.L%d", level)] = fmt.Sprintf("%dMiB", 2<<level)
	}
	maps.Copy(o, overrides)
	return o
}

var configs = map[string]map[string]string{
	"written": effective(nil),
	"fewer":   effective(map[string]string{"max_open_files": "1000"}),
}

// manifests are datasets to print, by name.
var manifests = map[string]*dataset.Manifest{
	"complete": manifest(func(*dataset.Manifest) {}),
	"interrupted": manifest(func(m *dataset.Manifest) {
		m.Complete, m.Progress = false, &dataset.Progress{Durable: 1_500_000, Horizon: 1_600_000}
	}),
	"updated": manifest(func(m *dataset.Manifest) {
		m.Updates = []dataset.Update{{Writes: 1_000_000}, {Writes: 500_000, Seed: 2}}
	}),
	"absent": {},
}

func manifest(change func(*dataset.Manifest)) *dataset.Manifest {
	m := &dataset.Manifest{
		Keys: 200_000_000, Keyspace: "keccak", Values: "pool32", ValueSize: 110, Seed: 1, Order: "random", Batch: 1000,
		Engine: "pebblev1", EngineVersion: "v1.1.5", Preset: "bench_kvdb", Options: effective(nil), Complete: true,
	}
	change(m)
	return m
}
