package report

import (
	"getio/record"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

var chains = map[string]func() []*record.Chain{
	"none":     func() []*record.Chain { return nil },
	"node":     nodeChain,
	"frozen":   frozenChain,
	"unsteady": unsteadyChain,
	"failed":   failedChain,
	"hostile":  hostileChain,
}

// hostileChain has texts that a format might take for something else.
func hostileChain() []*record.Chain {
	r := chainRun("```<b>\x1b[31m", "", 512, 1.5, map[string]record.ChainGets{"````\n# heading": {Gets: 1, Found: 1, ValueBytes: 8, Reads: 1.5}})
	r.Path, r.Engine.Name = "data/</script>|```\n```", "<i>engine</i>"
	return []*record.Chain{r}
}

// chainRun is a run with a cache of so many MiB; each of its keys is asked for once.
func chainRun(operation, read string, mib int64, reads float64, categories map[string]record.ChainGets) *record.Chain {
	r := &record.Chain{
		Path: "/var/lib/geth/chaindata", Engine: record.Engine{Name: "pebblev2", Version: "v2.1.7", Preset: "existing"},
		Shape: &lsm.Shape{Levels: []lsm.Level{{Level: 6, Tables: 10_840, Bytes: 440_000_000_000}}},
		Head:  21_345_678, Operation: operation,
		Cache:      record.Cache{Bytes: mib << 20, FractionOfDB: float64(mib<<20) / 440e9},
		Workload:   record.ChainWorkload{Distribution: "uniform", Seed: 1, WarmupOperations: 50_000, Operations: 50_000},
		Categories: categories,
		Reads:      record.IOsPerGet{Mean: reads, CI95: &[2]float64{reads - 0.0125, reads + 0.0125}, Steady: yes(true), Drift: figure(0.001)},
		Checks:     readpath.Checks{{Name: "regions", OK: true}},
	}
	if read != "" {
		r.State = &record.ChainState{Scheme: "path", Root: "0x27aaf90aaac34d24a7113f0398dc7df73e168c5f1c7c561a7e475e1ae61d8c30", Read: read}
	}
	for _, of := range categories {
		r.PerOp.KVGets += of.Gets
	}
	r.PerOp.Tables, r.PerOp.Blocks, r.PerOp.Misses = 4.9*r.PerOp.KVGets, 11.2*r.PerOp.KVGets, reads
	r.PerOp.HitRate, r.PerOp.BytesRead, r.PerOp.Microseconds = record.Rate(int64(1000*(r.PerOp.Blocks-reads)), int64(1000*r.PerOp.Blocks)), 4400*reads, 12.5*reads
	return r
}

func yes(b bool) *bool { return &b }

func nodes(reads float64) map[string]record.ChainGets {
	return map[string]record.ChainGets{
		"Path trie account nodes": {Gets: 8.9, Found: 8.9, ValueBytes: 8.9 * 420, Reads: reads / 3},
		"Path trie storage nodes": {Gets: 4.25, Found: 4.25, ValueBytes: 4.25 * 310, Reads: reads * 2 / 3},
	}
}

func nodeChain() []*record.Chain {
	return []*record.Chain{
		chainRun("getStorageAt", "trie", 16_384, 3.2, nodes(3.2)),
		chainRun("getStorageAt", "trie", 512, 7.75, nodes(7.75)),
		chainRun("getStorageAt", "flat", 512, 2.1, map[string]record.ChainGets{
			"Account snapshot": {Gets: 1, Found: 1, ValueBytes: 75, Reads: 1}, "Storage snapshot": {Gets: 1, Found: 0.5, ValueBytes: 16, Reads: 1.1},
		}),
	}
}

func frozenChain() []*record.Chain {
	r := chainRun("getBlockByHash", "", 512, 1.5, map[string]record.ChainGets{
		"Block hash->number": {Gets: 1, Found: 1, ValueBytes: 8, Reads: 1.5}, "Bodies": {},
	})
	r.PerOp.FreezerItems, r.PerOp.FreezerBytes = 3, 120_000
	r.Workload.Distribution, r.Workload.Zipf = "zipf", 0.99
	none := chainRun("getBlockByNumber", "", 512, 0, map[string]record.ChainGets{})
	none.PerOp.FreezerItems, none.PerOp.HitRate = 4, nil
	none.Workload.Operations, none.Workload.Zipf = 20_000, 0.99
	return []*record.Chain{r, none}
}

func unsteadyChain() []*record.Chain {
	falling := chainRun("getBalance", "trie", 64, 4, nodes(4))
	falling.Reads.Steady, falling.Reads.Drift = yes(false), figure(-0.074)
	unknown := chainRun("getBalance", "trie", 128, 3, nodes(3))
	unknown.Reads.Steady, unknown.Reads.Drift, unknown.Reads.CI95 = nil, nil, nil
	return []*record.Chain{falling, unknown}
}

func failedChain() []*record.Chain {
	r := chainRun("getBalance", "trie", 64, 4, nodes(4))
	r.Checks = append(r.Checks, readpath.Check{Name: "reads_of_categories", Detail: "3 reads were made by Gets of some category, 4 reached the tables"})
	return []*record.Chain{r}
}

var chainsMade = map[string]*record.ChainMade{
	"path": {
		Engine: "pebblev2", Root: "0x27aaf90aaac34d24a7113f0398dc7df73e168c5f1c7c561a7e475e1ae61d8c30", Seconds: 84.6, Bytes: 1_630_000_000,
		Plan:  record.ChainPlan{Accounts: 1_000_000, Contracts: 0.1, Slots: 30, Blocks: 20_000, Txs: 100, Frozen: 19_000, Aged: 2000, Scheme: "path", Flat: true, Seed: 1},
		State: record.CostOf{Things: 1_000_000, Seconds: 20, CPUSeconds: 27}, Chain: record.CostOf{Things: 20_000, Seconds: 60, CPUSeconds: 81},
	},
	"archive": {
		Engine: "goleveldb", Root: "0x27", Seconds: 7384, Bytes: 9_000,
		Plan:  record.ChainPlan{Accounts: 2, Contracts: 0.5, Slots: 1, Blocks: 1, Txs: 1, Scheme: "hash", Archive: true, Allocated: 8893},
		State: record.CostOf{Things: 8895},
	},
}
