package report

import (
	"getio/record"
	"getio/tree/readpath"
)

// single is a run whose single Gets were looked at and timed.
func single() *record.Result {
	r := healthy()
	r.Cache.Bytes = 46 << 20
	r.Distribution = record.NewDistribution([]int64{2_512, 1_203_018, 8_014_822, 660_404, 118_021, 1_201, 22}, 0)
	r.Latency = &record.Latency{
		Kind:  record.LatencyService,
		Times: record.Times{P50: 14.7, P90: 27.9, P99: 345, P999: 13_386, Max: 1_266_076, Mean: 79.8},
	}
	r.Checks = append(r.Checks, readpath.Check{Name: "distribution", OK: true, Detail: "10000000 Gets of 10000000 with 19692607 reads, 0 unattributed, of 19692607 reads of files"})
	return r
}

// singleWide has Gets of up to 300 reads, and none of less than 2.
func singleWide() *record.Result {
	r := healthy()
	histogram := make([]int64, 301)
	for n := 2; n <= 300; n++ {
		histogram[n] = int64(301-n) * 200
	}
	r.Distribution = record.NewDistribution(histogram, 17)
	return r
}

// atRate is a run at a rate that it did not reach.
func atRate() *record.Result {
	r := single()
	service := r.Latency.Times
	r.Latency = &record.Latency{
		Kind: record.LatencyResponse, Rate: 100_000, Reached: 70_655.4, Service: &service,
		Times: record.Times{P50: 20_000_000, P90: 38_000_000, P99: 41_000_000, P999: 41_400_000, Max: 41_500_000, Mean: 20_300_000},
	}
	r.CPUusPerGet = 0
	r.Warnings = []string{"only 70655 of 100000 Gets per second were reached: Gets queued up"}
	return r
}

// singleEmpty is a record that somebody made up: of no Gets, with figures all the same.
func singleEmpty() *record.Result {
	r := single()
	r.Distribution = &record.Distribution{P50: 3, P99: 1 << 20, P999: 1 << 20, Max: 1 << 21}
	r.Latency = &record.Latency{}
	return r
}
