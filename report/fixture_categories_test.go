package report

import "getio/record"

var censuses = map[string]*record.Categories{
	"counted": {
		Path: "/var/lib/geth/chaindata", Engine: record.Engine{Name: "pebblev2", Version: "v2.1.7", Preset: "existing"}, Scheme: "path", Exact: true,
		Categories: map[string]record.CategoryTally{
			"Bodies":                  {Keys: 972, KeyBytes: 39_852, ValueBytes: 58_871_982},
			"Path trie storage nodes": {Keys: 64_013, KeyBytes: 2_237_549, ValueBytes: 4_671_104},
			"Unaccounted":             {},
		},
		Total:   record.CategoryTally{Keys: 64_985, KeyBytes: 2_277_401, ValueBytes: 63_543_086},
		WAL:     record.WAL{Keys: 297, Bytes: 4_002_534},
		Freezer: []record.FreezerTable{{Name: "bodies", Items: 5}, {Freezer: "state", Name: "account.data", Items: 90_844, Removed: 844, Bytes: 1_090_857}},
	},
	"estimated": {
		Path: "/var/lib/geth/chaindata", Engine: record.Engine{Name: "pebblev1", Version: "v1.1.5", Preset: "existing"}, Scheme: "hash",
		Sample: &record.CategorySample{Ranges: 5000, Of: 108_800_000, Seed: 1},
		Categories: map[string]record.CategoryTally{
			"Hash trie nodes":   {Keys: 3_123_456_789, KeyBytes: 99_950_617_248, ValueBytes: 312_345_678_900, KeysError: figure(31e6), BytesError: figure(4.4e9)},
			"Transaction index": {Keys: 12, KeyBytes: 396, ValueBytes: 48, KeysError: figure(12), BytesError: figure(444)},
		},
		Total: record.CategoryTally{Keys: 3_123_456_801, KeyBytes: 99_950_617_644, ValueBytes: 312_345_678_948, KeysError: figure(31e6), BytesError: figure(4.4e9)},
	},
	"empty": {Path: "x", Scheme: "none", Exact: true},
	"both":  {Path: "x", Scheme: "both", Exact: true},
}
