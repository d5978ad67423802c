package report

import (
	"getio/record"
	"getio/tree/lsm"
)

var advices = map[string]func() *record.Advice{
	"chaindata": func() *record.Advice {
		a := advised("/var/lib/geth/chaindata")
		a.Memory = 8 << 30
		a.Trial = &record.AdviceTrial{WarmupGets: 50_000, Gets: 50_000, Seed: 1}
		for i, c := range a.Caches {
			c.GethCacheMiB = int64(4096 * (i + 1))
			c.IOsPerGet.Error = figure(0.012 * float64(1-i))
		}
		a.Caches[2].For = append(a.Caches[2].For, "memory")
		a.Waste = append(a.Waste, &record.Waste{What: "table_handles", Amount: 1, IOsPerGet: figure(0.31)},
			&record.Waste{What: "level_0", Amount: 3, IOsPerGet: figure(0.0204)})
		return a
	},
	"shape": func() *record.Advice {
		a := advised("5B keys")
		a.Caches = a.Caches[1:]
		a.Caches[1].GetsToSteady, a.Caches[1].BytesPerGet = nil, nil
		a.Shape.Levels[0].Bytes = 0
		a.Waste = nil
		return a
	},
	"out-of-reach": func() *record.Advice {
		a := advised("5B keys")
		a.Memory, a.Caches[0].For = 1<<30, []string{"memory"}
		return a
	},
	"enough": func() *record.Advice {
		a := advised("5B keys")
		a.Caches[2].For = []string{"present"}
		a.Caches[0].For = nil
		return a
	},
	"no-target": func() *record.Advice {
		a := advised("5B keys")
		a.Caches, a.Changes, a.Target = a.Caches[:1], nil, 0.0001
		return a
	},
}

func advised(of string) *record.Advice {
	gets := int64(5_523_000)
	cache := func(bytes int64, phase int, ios float64, purposes ...string) *record.AdvisedCache {
		return &record.AdvisedCache{
			For: purposes, Cache: record.PredictedCache{Bytes: bytes, Phase: phase},
			IOsPerGet: record.AdvisedIOs{Predicted: ios}, GetsToSteady: &gets, BytesPerGet: figure(4100 * ios),
			Components: map[string]record.PredictedComponent{"index": {Misses: ios - 1}},
		}
	}
	return &record.Advice{
		Of: of, Library: "pebblev2", Target: 1.1,
		Shape: &lsm.Shape{IP1Bytes: 793_000_000, IP2Bytes: 5_700_000_000,
			Levels: []lsm.Level{{Level: 6, Tables: 14_840, Records: 7_900_000_000, Bytes: 440_000_000_000}}},
		Caches: []*record.AdvisedCache{
			cache(1792<<20, 2, 1.8502, "present"),
			cache(5700<<20, 2, 1.1, "target"),
			cache(8<<30, 3, 1.0101, "double", "indexes"),
		},
		Changes: []*record.Change{
			{What: "last_level_filter=on", CacheBytes: 1792 << 20, Of: "existing", Now: 1.837, Then: 2.763, Error: figure(0.0067)},
			{What: "block_size=16KiB", CacheBytes: 1792 << 20, Of: "absent", Now: 1.837, Then: 1.164},
		},
		Waste: []*record.Waste{{What: "filters_never_consulted", Amount: 9_100_000_000}},
	}
}
