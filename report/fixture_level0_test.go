package report

import (
	"getio/record"
	"getio/tree/readpath"
)

var level0s = map[string]func() []*record.Level0{
	"leveldb": level0Run,
	"failed":  level0Failed,
}

func level0Run() []*record.Level0 {
	reads := func(mean float64) record.IOsPerGet {
		return record.IOsPerGet{Mean: mean, CI95: &[2]float64{0.98 * mean, 1.02 * mean}}
	}
	operations := func(old, recent, get float64) map[string]record.Level0Operation {
		o := map[string]record.Level0Operation{
			"getBlockByHash old": {KVGets: 3, Reads: reads(3 * old), BytesRead: 12_000 * old}, "getTx old": {KVGets: 3, Reads: reads(3 * old), BytesRead: 13_000 * old},
			"get": {KVGets: 1, Reads: reads(get), BytesRead: 3700 * get},
		}
		if recent > 0 {
			o["getBlockByHash recent"] = record.Level0Operation{KVGets: 3, Reads: reads(recent), BytesRead: 6000 * recent}
			o["getTx recent"] = record.Level0Operation{KVGets: 3, Reads: reads(recent), BytesRead: 5000 * recent}
		}
		return o
	}
	checks := readpath.Checks{{Name: "regions", OK: true}}
	with := &record.Level0{
		Path: "data/chain", Engine: record.Engine{Name: "goleveldb", Version: "v1.0.1", Preset: "geth-leveldb"}, Filters: true,
		Cache:    record.Cache{Bytes: 2 << 20},
		Workload: record.Level0Work{Seed: 1, WarmupOperations: 500, Operations: 500},
		Rows: []*record.Level0Row{
			{Operations: operations(0.99, 0, 1.2), Checks: checks},
			{Tables: 300, Sublevels: 300, IndexBytes: 3 << 20, FilterBytes: 2 << 20, Operations: operations(605.75, 597.7, 601.3), Checks: checks},
		},
		Cliff: record.Level0Cliff{Predicted: 125, MostPredicted: 2000, Measured: 121, Most: 300},
	}
	without := *with
	without.Filters, without.Rows = false, with.Rows[:1]
	without.Cliff = record.Level0Cliff{Predicted: 125, MostPredicted: 2000, Most: 100}
	none := *with
	none.Cache.Bytes, none.Cliff = 8<<20, record.Level0Cliff{}
	return []*record.Level0{with, &without, &none}
}

func level0Failed() []*record.Level0 {
	r := level0Run()[0]
	r.Rows[1].Checks = readpath.Checks{{Name: "getTx old: regions", Detail: "3 of 9 reads fit no block"}}
	return []*record.Level0{r}
}
