package report

import (
	"getio/dataset/popularity"
	"getio/record"
	"getio/tree/lsm"
)

var predictions = map[string]func() []*record.Prediction{
	"none": func() []*record.Prediction { return nil },
	"twin": func() []*record.Prediction {
		sampled := predicted(4500<<20, 1.9603, 0.139, "clockpro")
		sampled.IOsPerGet.Error = figure(0.0021)
		sampled.IOsPerGet.Steady = figure(1.9571)
		for i := range 12 {
			sampled.IOsPerGet.Windows = append(sampled.IOsPerGet.Windows, record.PredictedWindow{Gets: 2_100_000, IOsPerGet: 1.9571 + 0.5/float64(i+1)})
		}
		cold := predicted(21000<<20, 1.3321, 0.728, "clockpro")
		cold.ReadsByCause.Policy = -0.0001
		return []*record.Prediction{cold, sampled}
	},
	"replay": func() []*record.Prediction {
		p := predicted(12<<20, 1.0554, 0.96, "clockpro")
		p.Of, p.Method, p.ReadsByCause = "/var/lib/geth/chaindata", "replay", nil
		p.IOsPerGet.Measured = figure(1.0554)
		return []*record.Prediction{p, predicted(3<<20, 2.4764, 0.02, "clockpro")}
	},
	"analytic": func() []*record.Prediction {
		p := predicted(2<<30, 0, 0.62, "")
		p.Method, p.ReadsByCause = "analytic", nil
		p.IOsPerGet = record.PredictedIOs{Steady: figure(1.41)}
		p.Workload = record.PredictedWorkload{Kind: "zipf", Popularity: popularity.Popularity{Zipf: 0.99}, HitFraction: 0.9}
		delete(p.Components, "filter")
		return []*record.Prediction{p}
	},
}

func figure(x float64) *float64 { return &x }

func predicted(cacheBytes int64, ios, indexHit float64, policy string) *record.Prediction {
	return &record.Prediction{
		Of: "the published database large", Library: "pebblev1", Method: "twin",
		Shape:     &lsm.Shape{IP1Bytes: 2_720_000_000, IP2Bytes: 21_900_000_000},
		Cache:     record.PredictedCache{Bytes: cacheBytes, Phase: 2, Policy: policy},
		Workload:  record.PredictedWorkload{Kind: "uniform", HitFraction: 1, Seed: 1, WarmupGets: 10_000_000, Gets: 10_000_000},
		IOsPerGet: record.PredictedIOs{Window: &ios},
		Components: map[string]record.PredictedComponent{
			"filter":    {Accesses: 5.5, HitRate: figure(1)},
			"top_index": {Accesses: 6.527, HitRate: figure(1)},
			"index":     {Accesses: 1.064, Misses: 0.9, HitRate: &indexHit},
			"data":      {Accesses: 1.064, Misses: 1.04, HitRate: figure(0.0163)},
		},
		ReadsByCause: &record.Causes{Compulsory: 1.1, Capacity: 0.8, Policy: 0.06},
	}
}
