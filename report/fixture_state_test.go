package report

import (
	"getio/record"
	"getio/tree/readpath"
)

// storeRecord is a store's record, with reads of existing keys that cost so much.
func storeRecord(label, store string, keys uint64, reads float64) *record.State {
	own := reads
	return &record.State{
		Label: label, Store: record.StateStore{Name: store, Version: "v1.2.3-0.20261122000000-abcdef012345"},
		Keys: keys, KeySize: 32, Values: "random", ValueSize: 110, Seed: 1, Lookups: 5000, Counted: record.CountedOutside,
		Load: record.StateLoad{Seconds: 12.5, CPUSeconds: 7, CommitKeys: 100_000, RestKeys: 400_000, CacheBytes: 256 << 20}, DiskBytes: int64(keys) * 155, AnonymousBytes: 9 << 20,
		Rows: []record.StateRow{
			{Kind: record.LookupsOfExisting, Cold: record.StateReads{Lookups: 5000, Reads: reads, CI95: &[2]float64{reads - 0.0123, reads + 0.0123}, Bytes: 34_900, Cached: 1}, OwnReads: &own,
				Budgets: []record.StateBudget{
					{Share: 0.01, Reads: record.StateReads{Reads: 1.459}},
					{Share: 0.05, Reads: record.StateReads{Reads: 0.971}, Kernel: &record.StateReads{Reads: 0.968}},
				}},
			{Kind: record.LookupsOfAbsent, Cold: record.StateReads{Lookups: 5000, Reads: 2.55, CI95: &[2]float64{2.54, 2.56}, Bytes: 30_100, Cached: 1}},
		},
	}
}

func stateWithProofs() *record.State {
	r := storeRecord("nomt", "nomt", 1_000_000, 1)
	r.Rows[0].Cold.CI95 = nil
	r.Store.Caches = []record.StateCache{{Name: "index", Least: 64 << 20, Stays: true}}
	r.Rows = append(r.Rows, record.StateRow{Kind: record.LookupsWithProof, Cold: record.StateReads{Reads: 3.15, CI95: &[2]float64{3.14, 3.16}, Bytes: 12_900}, ProofBytes: 742})
	return r
}

var stateTables = map[string]func() []*record.State{
	"one_failed": func() []*record.State {
		r := storeRecord("pebblev1", "pebblev1", 1_000_000, 3.36)
		r.Checks = readpath.Checks{{Name: "reads", Detail: "9 of files, 8 of the device"}}
		return []*record.State{storeRecord("mdbx", "mdbx", 1_000_000, 4), r}
	},
	"two_sizes": func() []*record.State {
		return []*record.State{
			storeRecord("pebblev2:geth", "pebblev2", 1_000_000, 3.36), storeRecord("pebblev2:geth", "pebblev2", 5_000_000, 3.71),
			stateWithProofs(), storeRecord("mine", "mine", 5_000_000, 1),
		}
	},
	"inside": func() []*record.State {
		r := storeRecord("goleveldb", "goleveldb", 10_000, 3)
		r.Counted, r.AnonymousBytes = record.CountedInside, 0
		for i := range r.Rows {
			r.Rows[i].Budgets, r.Rows[i].Cold.CI95 = nil, nil
		}
		return []*record.State{r}
	},
}
