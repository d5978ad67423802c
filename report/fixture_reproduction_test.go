package report

import (
	"getio/record"
	"getio/tree/published"
	"getio/tree/readpath"
)

// reproductions are runs made as the study made them, by name.
var reproductions = map[string]func() []*record.Result{
	"small":     func() []*record.Result { return reproductionOf("small", 1.005, 0.998, 1.001, 0.994) },
	"continued": continuedReproduction,
	"failed":    failedReproduction,
	"few_gets":  fewGets,
	"other":     otherSizes,
	"none":      func() []*record.Result { return nil },
}

// reproductionOf is what was published of a database, with means that are so
// many times as large.
func reproductionOf(database string, ratios ...float64) []*record.Result {
	reads, err := published.Reads(database)
	if err != nil {
		panic(err)
	}
	var results []*record.Result
	for i, p := range reads {
		ios, err := p.IOsPerGet.Float64()
		if err != nil {
			panic(err)
		}
		r := sweepOf(shapes[database], float64(p.CacheMiB), ios*ratios[i])[0]
		r.Published = &p
		r.Cache.Shards = p.Shards
		r.Dataset.Keys = uint64(shapes[database].Total().Records)
		r.Workload.WarmupGets = int64(r.Dataset.Keys) / p.KeysPerWarmupGet
		results = append(results, r)
	}
	return results
}

// continuedReproduction has a run that came to rest after three more, and one
// that did not.
func continuedReproduction() []*record.Result {
	results := reproductionOf("large", 0.97, 0.998, 1.002, 1.004)
	for i, last := range []record.IOsPerGet{mean(1.0613, 0.0011, -0.0021), mean(1.1034, 0.0087, -0.142)} {
		r := results[2+i]
		r.IOsPerGet = mean(r.IOsPerGet.Mean, 0.012, -0.203)
		for n := range 3 {
			r.Continued = append(r.Continued, record.Continuation{
				GetsBefore: 20_000_000 + 10_000_000*int64(n), Gets: 10_000_000,
				Components: r.Components, Cached: r.Cached, IOsPerGet: mean(1.2, 0.01, -0.1),
			})
		}
		r.Continued[2].IOsPerGet = last
	}
	return results
}

// failedReproduction has a run that failed a check, and one that did so when it
// went on.
func failedReproduction() []*record.Result {
	results := reproductionOf("small", 1.005, 0.998, 1.001, 0.994)
	results[1].Checks = failedChecks().Checks
	results[2].Continued = []record.Continuation{{GetsBefore: 1, Gets: 2, IOsPerGet: mean(1.04, 0, 0)}}
	results[2].Checks = []readpath.Check{{Name: "continued_1_regions"}}
	return results
}

// fewGets are the study's runs cut short, with a size of which nothing was
// published.
func fewGets() []*record.Result {
	results := append(reproductionOf("small", 1.06, 1.01, 1.07, 1.08), sweepOf(shapes["small"], 90, 1.71)...)
	for _, r := range results {
		r.Workload.Gets, r.Workload.WarmupGets = 500_000, 200_000
		r.IOsPerGet.Steady, r.IOsPerGet.Drift = nil, nil
	}
	return results
}

// otherSizes are sizes of which nothing was published.
func otherSizes() []*record.Result { return sweepOf(shapes["large"], 18_000.5, 1.52, 16_384, 1.61) }
