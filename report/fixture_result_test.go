package report

import (
	"math"

	"getio/record"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

// measurements are records to print, by name.
var measurements = map[string]func() *record.Result{
	"healthy":            healthy,
	"unsteady":           func() *record.Result { return drifting(-0.2013) },
	"rising":             func() *record.Result { return drifting(0.034) },
	"failed":             failedChecks,
	"exact_split":        exactSplit,
	"single_level_index": singleLevelIndex,
	"only_l6":            onlyL6,
	"too_short":          tooShort,
	"cached":             fullyCached,
	"no_cache":           noCache,
	"shared_loads":       sharedLoads,
	"huge":               huge,
	"layers":             layers,
	"modelled":           modelled,
	"updated":            updated,
	"unpaced":            unpaced,
	"scans":              scans,
	"batches":            batches,
	"zipf":               zipf,
	"hotset":             hotset,
	"single":             single,
	"single_wide":        singleWide,
	"single_empty":       singleEmpty,
	"at_rate":            atRate,
	"absent":             func() *record.Result { return &record.Result{} },
}

// healthy has the counts of the published run at 45 MiB, with which its sums
// are consistent. All else is made up.
func healthy() *record.Result {
	return &record.Result{
		Schema: record.ResultSchema,
		Engine: record.Engine{Name: "pebblev1", Version: "v1.1.5", Preset: "bench_kvdb"},
		Dataset: record.Dataset{Path: "data/small", Kind: "natural", Keys: 200_000_000, Records: 200_000_000,
			Keyspace: "keccak", Values: "pool32", Bytes: shapes["small"].Total().Bytes},
		Shape: shapes["small"],
		Cache: record.Cache{Bytes: 45 << 20, Shards: 4, FractionOfDB: 0.00193, ReservedBytes: 256 << 10, Phase: 2},
		Workload: record.Workload{Kind: "uniform", HitFraction: 1, Workers: 64, Seed: 1,
			WarmupGets: 100_000, WarmupRule: "0.05%", Gets: 10_000_000},
		Components: map[string]record.Component{
			"filter":     component(34_763_937, 3_642, 245_000_000),
			"top_index":  component(43_481_237, 12_673, 13_600_000),
			"index":      split(component(10_372_889, 9_424_710, 36_900_000_000), "estimated"),
			"data":       split(component(10_380_942, 10_251_582, 37_700_000_000), "estimated"),
			"table_open": component(0, 0, 0), "other": component(0, 0, 0),
		},
		Cached:        &record.BlockCache{Hits: 79_306_398, Misses: 19_692_607, HitRate: rate(79_306_398, 98_999_005)},
		IOsPerGet:     mean(1.9693, 0.0052, 0.0012),
		BytesPerGet:   7485.86,
		Device:        record.Device{PageCache: "bypassed"},
		GetsPerSecond: 70655.4, CPUusPerGet: 21.3,
		Checks: []readpath.Check{
			{Name: "regions", OK: true, Detail: "0 of 19692607 reads fit no block of the region map"},
			{Name: "table_opens", OK: true, Detail: "footers read 0, table cache misses 0"},
			{Name: "misses_within_accesses", OK: true, Detail: "no component was read more often than it was accessed"},
			{Name: "block_cache_misses", OK: true, Detail: "block cache misses 19692607, reads but for footers 19692607"},
		},
	}
}

func component(accesses, misses, bytes int64) record.Component {
	return record.Component{Accesses: &accesses, Misses: misses, BytesRead: bytes, HitRate: rate(accesses-misses, accesses)}
}

func split(c record.Component, how string) record.Component {
	c.Split = how
	return c
}

func rate(hits, of int64) *float64 {
	if of == 0 {
		return nil
	}
	r := float64(hits) / float64(of)
	return &r
}

// mean is a mean with its 95% interval; it is steady as far as its drift is
// below one per cent.
func mean(m, half, drift float64) record.IOsPerGet {
	steady := math.Abs(drift) < 0.01
	return record.IOsPerGet{
		Mean: m, CI95: &[2]float64{m - half, m + half}, Steady: &steady, Drift: &drift,
		WindowGets: 500_000, Windows: make([]float64, 20),
	}
}

func drifting(drift float64) *record.Result {
	r := healthy()
	r.Cache.Bytes, r.Cache.Phase, r.Cache.FractionOfDB = 210<<20, 3, 0.009
	cost(r, 1.3304)
	r.IOsPerGet = mean(1.3304, 0.0212, drift)
	r.Warnings = []string{"the warm-up ended before I/Os per Get had come to rest: take --warmup auto, or a larger number of Gets than the 100000 given"}
	return r
}

// cost makes reads of index blocks account for the given mean.
func cost(r *record.Result, mean float64) {
	index, gets := r.Components["index"], float64(r.Workload.Gets)
	reads := max(0, int64((mean-1.0268)*gets))
	index = split(component(max(*index.Accesses, reads), reads, 3915*reads), index.Split)
	r.Components["index"] = index
	r.BytesPerGet = (float64(index.BytesRead) + 37_958_600_000) / gets
	r.Cached.Misses = int64(mean * gets)
	r.Cached.HitRate = rate(98_999_005-r.Cached.Misses, 98_999_005)
}

func failedChecks() *record.Result {
	r := healthy()
	r.Checks[0] = readpath.Check{Name: "regions", Detail: "17 of 19692607 reads fit no block of the region map"}
	r.Checks[3] = readpath.Check{Name: "block_cache_misses", Detail: "block cache misses 19692607, reads but for footers 19692624"}
	return r
}

func exactSplit() *record.Result {
	r := healthy()
	for _, name := range []string{"index", "data"} {
		r.Components[name] = split(r.Components[name], "exact")
	}
	return r
}

func singleLevelIndex() *record.Result {
	r := exactSplit()
	r.Shape = shapes["single_level_index"]
	r.Dataset = record.Dataset{Path: "chaindata", Kind: "existing", Records: 440_000, Keyspace: "sampled", Bytes: r.Shape.Total().Bytes, WALKeys: 12_345}
	r.Cache = record.Cache{Bytes: 1 << 20, Shards: 4, FractionOfDB: 0.0343, ReservedBytes: 256 << 10, Phase: 3}
	r.Components["index"] = record.Component{Accesses: new(int64), Split: "exact"}
	r.Components["table_open"] = record.Component{Accesses: new(int64(48)), Misses: 48, BytesRead: 40_000}
	r.Components["other"] = record.Component{Accesses: new(int64), Misses: 5, BytesRead: 500}
	return r
}

func onlyL6() *record.Result {
	r := exactSplit()
	r.Shape = shapes["only_l6"]
	r.Cache = record.Cache{Bytes: 2 << 20, Shards: 4, FractionOfDB: 0.004, ReservedBytes: 256 << 10, Phase: 2}
	r.Components["filter"] = record.Component{Accesses: new(int64)}
	return r
}

// tooShort has one window, so that it has no interval and no word on steadiness.
func tooShort() *record.Result {
	r := healthy()
	for name, c := range r.Components {
		r.Components[name] = split(component(*c.Accesses/500, c.Misses/500, c.BytesRead/500), c.Split)
	}
	r.Workload.Gets, r.IOsPerGet = 20_000, record.IOsPerGet{Mean: 2.1, WindowGets: 20_000, Windows: []float64{2.1}}
	return r
}

// fullyCached made no I/O at all: its zeros are measured.
func fullyCached() *record.Result {
	r := healthy()
	r.Cache.Bytes, r.Cache.Phase, r.Cache.FractionOfDB = 64<<30, 3, 2.9
	for name, c := range r.Components {
		r.Components[name] = component(*c.Accesses, 0, 0)
	}
	r.Cached = &record.BlockCache{Hits: 98_999_005, HitRate: rate(1, 1)}
	r.IOsPerGet, r.BytesPerGet = mean(0, 0, 0), 0
	return r
}

func noCache() *record.Result {
	r := exactSplit()
	r.Cache = record.Cache{Phase: 1}
	for name, c := range r.Components {
		r.Components[name] = split(component(*c.Accesses, *c.Accesses, 4000**c.Accesses), c.Split)
	}
	r.Cached, r.BytesPerGet = nil, 39_600
	r.IOsPerGet = mean(9.8999, 0, 0)
	return r
}

func sharedLoads() *record.Result {
	r := healthy()
	r.Engine = record.Engine{Name: "pebblev2", Version: "v2.1.7", Preset: "geth"}
	shared := int64(4_321)
	r.SharedLoads = &shared
	r.Device.PageCache = "cached"
	r.Workload.HitFraction, r.Workload.Updates = 0.5, 1_000_000
	return r
}

// layers read past the page cache, as records of it are.
func layers() *record.Result {
	r := healthy()
	r.Cached.MissesPerGet, r.Cached.BytesPerGet = figure(1.9693), figure(7485.86)
	r.File = record.File{ReadsPerGet: 1.9693, BytesPerGet: 7485.86}
	r.Device.ReadsPerGet, r.Device.BytesPerGet = figure(1.9693), figure(15_203.5)
	r.Device.Disk, r.Device.DiskReadsPerGet = "vda", figure(1.97)
	return r
}

// modelled is a modelled device above the page cache as it is, of which the kernel
// told nothing.
func modelled() *record.Result {
	r := layers()
	r.Cache.Bytes, r.GetsPerSecond = 60<<20, 0
	r.Device = record.Device{PageCache: "dropped", Modelled: &record.ModelledDevice{IOPS: 3000, ReadLatencyUS: 500, GetsPerSecond: 1523.4}}
	return r
}

// updated is a run with keys overwritten meanwhile.
func updated() *record.Result {
	r := healthy()
	r.Cached, r.CPUusPerGet, r.Workload.Updates = nil, 0, 3_500_000
	for name, c := range r.Components {
		if c.Split = ""; name != "filter" {
			c.Accesses, c.HitRate = nil, nil
		}
		r.Components[name] = c
	}
	var others readpath.Reads
	others.Count = readpath.PerComponent{readpath.Data: 1_234_567, readpath.Index: 89, readpath.TableOpen: 12}
	others.Bytes = readpath.PerComponent{readpath.Data: 4_567_890_123, readpath.Index: 345_678, readpath.TableOpen: 3_456}
	r.Updates = &record.Updates{
		Rate: 20_000, Reached: 18_765.4, Writes: 2_500_000, Bytes: 355_000_000, Seconds: 133.2, Before: figure(1.1234),
		Flushes: 1, Compactions: 23, Stalls: record.Stalls{Count: 4, Seconds: 5.678},
		ReadsOfOthers: record.NewOthersReads(others), Settling: record.Settling{Seconds: 2.5, Flushes: 1, Compactions: 2, Reads: 1000, Bytes: 4_000_000},
		Written:            record.Written{Tables: 4_970_000_000, Logs: 370_000_000, Other: 1_000_000},
		WriteAmplification: record.Amplified{Tables: 14, WithLog: 15.04},
		Windows: []record.UpdateWindow{
			{IOsPerGet: 1.1239, Gets: 5_000_000, Seconds: 60, Writes: 1_200_000, L0Tables: 3, L0Sublevels: 1, UnderWay: 1},
			{IOsPerGet: 1.4567, Gets: 5_000_000, Seconds: 73.2, Writes: 1_300_000, L0Tables: 34, L0Sublevels: 12, UnderWay: 3, Flushes: 1, Compactions: 23, Stalls: 4, OthersReads: 1_234_668, OthersBytes: 4_568_239_257},
		},
	}
	return r
}

// unpaced is the same with as many updates as could be, which flushed nothing, from the
// first Get on.
func unpaced() *record.Result {
	r := updated()
	r.Updates.Rate, r.Updates.Before, r.Updates.Flushes, r.Updates.Compactions = 0, nil, 0, 0
	r.Updates.ReadsOfOthers, r.Updates.Windows = record.NewOthersReads(readpath.Reads{}), r.Updates.Windows[:1]
	return r
}

func huge() *record.Result {
	r := healthy()
	r.Shape = shapes["enormous"]
	r.Dataset.Keys, r.Dataset.Bytes = 20_000_000_000, r.Shape.Total().Bytes
	r.Cache = record.Cache{Bytes: 1023 << 30, Shards: 4096, FractionOfDB: 12.5, ReservedBytes: 1023 << 20, Phase: 2}
	r.Workload.Gets, r.Workload.WarmupGets, r.Workload.Workers, r.Workload.Seed = 100_000_000_000, 99_999_999_999, 65_536, math.MaxUint64
	for name, c := range r.Components {
		r.Components[name] = split(component(1_000_000**c.Accesses, 900_000*c.Misses, 1_000_000*c.BytesRead), c.Split)
	}
	r.IOsPerGet = mean(1234.5678, 99.1234, -1.5)
	r.BytesPerGet = 1023 << 10
	r.GetsPerSecond, r.CPUusPerGet = 123_456_789, 98_765.4
	return r
}

// sweeps are lists of measurements to print, by name.
var sweeps = map[string]func() []*record.Result{
	"published":    func() []*record.Result { return sweepOf(shapes["small"], 32, 2.25, 45, 1.97, 210, 1.04, 225, 1.03) },
	"not_reached":  func() []*record.Result { return sweepOf(shapes["small"], 25, 2.61, 32, 2.25, 28, 2.4) },
	"large":        largeSweep,
	"unsteady":     unsteadySweep,
	"failed":       failedSweep,
	"single_level": func() []*record.Result { return sweepOf(shapes["single_level_index"], 0.5, 1.4, 0.72, 1.02, 3, 0.9) },
	"only_l6":      func() []*record.Result { return sweepOf(shapes["only_l6"], 0.6, 2.3, 2, 1.7, 4.02, 1.1, 32, 0.98) },
	"one":          func() []*record.Result { return []*record.Result{healthy()} },
	"huge":         func() []*record.Result { return []*record.Result{huge(), rising(huge()), healthy()} },
	"absent":       func() []*record.Result { return []*record.Result{{}, {Cache: record.Cache{Bytes: 1 << 20}}} },
	"no_cache":     func() []*record.Result { return []*record.Result{noCache(), healthy()} },
	"layers":       func() []*record.Result { return []*record.Result{layers(), modelled()} },
	"scans":        func() []*record.Result { return []*record.Result{scans()} },
	"workloads":    func() []*record.Result { return []*record.Result{healthy(), scans(), batches(), zipf(), hotset()} },
	"single":       func() []*record.Result { return []*record.Result{single(), singleWide(), layers()} },
	"single_empty": func() []*record.Result { return []*record.Result{singleEmpty()} },
	"at_rate":      func() []*record.Result { return []*record.Result{atRate()} },
	"updated":      func() []*record.Result { return []*record.Result{updated()} },
	"none":         func() []*record.Result { return nil },
}

// sweepOf is a sweep over pairs of a cache size in MiB and a mean.
func sweepOf(shape *lsm.Shape, pairs ...float64) []*record.Result {
	var results []*record.Result
	for i := 0; i < len(pairs); i += 2 {
		r := healthy()
		r.Shape = shape
		r.Dataset.Bytes = shape.Total().Bytes
		r.Cache.Bytes = int64(pairs[i] * (1 << 20))
		r.Cache.FractionOfDB = float64(r.Cache.Bytes) / float64(r.Dataset.Bytes)
		r.Cache.Phase = shape.Phase(r.Cache.Bytes)
		cost(r, pairs[i+1])
		r.IOsPerGet = mean(pairs[i+1], 0.0031, 0.002)
		results = append(results, r)
	}
	return results
}

// largeSweep is the published one of the large database, where 21,000 MiB had
// not converged; its rows come in no order.
func largeSweep() []*record.Result {
	results := sweepOf(shapes["large"], 21000, 1.33, 2600, 2.42, 4500, 1.96, 22500, 1.31)
	results[0].IOsPerGet = mean(1.33, 0.012, -0.203)
	results[3].IOsPerGet = mean(1.31, 0.013, -0.19)
	return results
}

func unsteadySweep() []*record.Result {
	results := sweepOf(shapes["small"], 32, 2.25, 45, 1.97, 64, 1.9, 210, 1.08)
	results[1].IOsPerGet = mean(1.97, 0.01, 0.034)
	results[2].IOsPerGet = record.IOsPerGet{Mean: 1.9}
	results[3].IOsPerGet.Drift = nil
	results[3].IOsPerGet.Steady = new(bool)
	return results
}

func failedSweep() []*record.Result {
	results := sweepOf(shapes["small"], 32, 2.25, 45, 1.97, 210, 1.04, 225, 1.03)
	results[1].Checks = failedChecks().Checks
	return results
}

func rising(r *record.Result) *record.Result {
	r.IOsPerGet = mean(99.5, 0.5, 12.5)
	return r
}
