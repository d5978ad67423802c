package report

import (
	"getio/dataset/popularity"
	"getio/experiment/compare"
	"getio/record"
	"getio/tree/readpath"
)

var comparisons = map[string]func() []*record.Comparison{
	"none":     func() []*record.Comparison { return nil },
	"versions": comparedVersions,
	"itself":   comparedWithItself,
	"unfit":    comparedUnfit,
	"absent":   comparedAbsent,
	"popular":  comparedPopular,
	"hostile":  comparedHostile,
	"further":  comparedFurther,
	"parts":    comparedParts,
}

// comparedRun is a run of the comparison's, with so many reads of each component in
// 100,000 Gets.
func comparedRun(engine, path string, cache int64, round uint64, filter, index, data int64) *record.Result {
	const gets = 100_000
	drift := 0.002
	hits := 0.5
	component := func(misses, size int64) record.Component {
		return record.Component{Accesses: new(2 * misses), Misses: misses, HitRate: &hits, BytesRead: misses * size}
	}
	mean := float64(filter+index+data) / gets
	return &record.Result{
		Schema:      record.ResultSchema,
		Engine:      record.Engine{Name: engine, Version: "of " + engine, Preset: "bench_kvdb", Options: map[string]string{"block_size": "4KiB", "of_" + engine: "1"}},
		Dataset:     record.Dataset{Path: path, Kind: "natural", Keys: 10_000_000, Keyspace: "keccak", Bytes: 1_450_000_000},
		Cache:       record.Cache{Bytes: cache, Shards: 4, FractionOfDB: float64(cache) / 1_450_000_000},
		Workload:    record.Workload{Kind: "uniform", HitFraction: 1, Workers: 8, Seed: round, WarmupGets: 300_000, WarmupRule: "300000", Gets: gets},
		Components:  map[string]record.Component{"filter": component(filter, 20_000), "index": component(index, 4000), "data": component(data, 4000)},
		IOsPerGet:   record.IOsPerGet{Mean: mean, Drift: &drift, Windows: []float64{mean}},
		BytesPerGet: float64(filter*20_000+(index+data)*4000) / gets,
		CPUusPerGet: 12 + float64(round), Checks: readpath.Checks{{Name: "regions", OK: true}},
	}
}

// comparedRuns are three rounds of two versions with one cache.
func comparedRuns() []compare.Side { return comparedRunsOf(8 << 20) }

func comparedRunsOf(cache int64) []compare.Side {
	v1, v2 := compare.Side{Label: "v1"}, compare.Side{Label: "v2"}
	for i := range int64(3) {
		v1.Runs = append(v1.Runs, comparedRun("pebblev1", "data/v13", cache, uint64(i+1), 20_000+100*i, 45_000+300*i, 100_000))
		v2.Runs = append(v2.Runs, comparedRun("pebblev2", "data/v13", cache, uint64(i+1), 10_000+90*i, 47_000+310*i, 100_000+50*i))
	}
	return []compare.Side{v1, v2}
}

func comparedVersions() (lines []*record.Comparison) {
	for _, cache := range []int64{8 << 20, 1 << 30} {
		sides := comparedRunsOf(cache)
		if cache == 1<<30 { // the filters of v1 fit, and those of v2 do not
			for _, r := range sides[0].Runs {
				r.Components["filter"] = record.Component{}
			}
		}
		lines = append(lines, compare.Lines(sides[0], sides[1])...)
	}
	return lines
}

func comparedWithItself() (lines []*record.Comparison) {
	base := comparedRuns()[0]
	for _, label := range []string{"same-but-late", "C"} {
		same := compare.Side{Label: label}
		for i, r := range base.Runs {
			run := *r
			run.Dataset.Path = "other"
			if label == "C" { // noise, and few files
				run.Engine.Preset = "geth"
				run.Engine.Options = map[string]string{"block_size": "4KiB", "max_open_files": "100"}
				run.IOsPerGet.Mean *= []float64{1.01, 0.99, 1.002}[i]
			}
			same.Runs = append(same.Runs, &run)
		}
		lines = append(lines, compare.Lines(base, same)...)
	}
	return lines
}

// comparedUnfit are runs that no verdict can be told from: still falling, too short, and
// with a check that failed.
func comparedUnfit() (lines []*record.Comparison) {
	falling, short, failed := comparedRunsOf(1<<20), comparedRunsOf(2<<20), comparedRunsOf(4<<20)
	for i := range 3 {
		drift := -0.0312
		falling[1].Runs[i].IOsPerGet.Drift = &drift
		short[0].Runs[i].IOsPerGet.Drift = nil
	}
	failed[1].Runs[1].Checks = readpath.Checks{{Name: "regions", Detail: "3 of 9 reads fit no block"}}
	for _, sides := range [][]compare.Side{falling, short, failed} {
		lines = append(lines, compare.Lines(sides[0], sides[1])...)
	}
	return lines
}

// comparedPopular are keys of a file, some of which are more popular than others.
func comparedPopular() []*record.Comparison {
	sides := comparedRuns()
	for _, s := range sides {
		for _, r := range s.Runs {
			r.Workload.Kind, r.Workload.Zipf, r.Workload.KeysFile = popularity.NameZipf, 0.99, "keys.txt"
		}
	}
	return compare.Lines(sides[0], sides[1])
}

// comparedAbsent are keys of which some, and none, exist, looked up with iterators.
func comparedAbsent() (lines []*record.Comparison) {
	for _, exist := range []float64{0, 0.8} {
		sides := comparedRuns()
		for _, s := range sides {
			for _, r := range s.Runs {
				r.Workload.HitFraction = exist
			}
		}
		for _, r := range sides[1].Runs {
			r.Workload.Lookup = record.LookupSeek
		}
		lines = append(lines, compare.Lines(sides[0], sides[1])...)
	}
	return lines
}

// comparedHostile are labels and a directory that a format might take for something else.
func comparedHostile() []*record.Comparison {
	sides := comparedRuns()
	sides[0].Label, sides[1].Label = "<b>a|*b*</b>\x1b[31m and on and on", "\n# b\u202e"
	for _, r := range sides[1].Runs {
		r.Dataset.Path = "other/`</pre>`\n```\n# heading\x00"
	}
	return compare.Lines(sides[0], sides[1])[:1]
}

// comparedFurther have a round more with the second cache.
func comparedFurther() (lines []*record.Comparison) {
	first, further := comparedRunsOf(1<<20), comparedRunsOf(2<<20)
	for i := range first {
		first[i].Runs = first[i].Runs[:2]
	}
	return append(compare.Lines(first[0], first[1])[:1], compare.Lines(further[0], further[1])[0])
}

// comparedParts are lines of a file that the I/Os were taken out of.
func comparedParts() []*record.Comparison {
	sides := comparedRuns()
	return compare.Lines(sides[0], sides[1])[1:]
}
