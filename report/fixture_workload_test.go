package report

import (
	"strings"

	"getio/dataset/popularity"
	"getio/record"
)

// scans is a run of scans of 100 records each.
func scans() *record.Result {
	r := single()
	r.Workload.Operation, r.Workload.KeysPerOperation = record.OperationScan, 100
	r.PerKey = &record.PerKey{Keys: 999_989_414, IOs: 0.0197, Bytes: 78.4}
	return r
}

// batches is a run of a trace's batches.
func batches() *record.Result {
	r := healthy()
	r.Cache.Bytes = 47 << 20
	r.Workload.Operation, r.Workload.KeysPerOperation = record.OperationMultiget, 16
	r.Workload.Kind, r.Workload.Seed, r.Workload.HitFraction = "trace", 0, 0.731
	r.Workload.Trace, r.Workload.TraceSHA256 = "wallet Gets.trace.gz", strings.Repeat("5e", 32)
	r.PerKey = &record.PerKey{Keys: 160_000_000, IOs: 0.123, Bytes: 498}
	return r
}

// zipf is a run of Gets of keys by a Zipf distribution.
func zipf() *record.Result {
	r := healthy()
	r.Workload.Kind, r.Workload.Popularity = "zipf", popularity.Popularity{Zipf: 0.99}
	return r
}

// hotset is a run of Gets most of which ask for a few keys.
func hotset() *record.Result {
	r := healthy()
	r.Cache.Bytes = 48 << 20
	r.Workload.Kind, r.Workload.Popularity = "hotset", popularity.Popularity{Hotset: popularity.Hotset{Keys: 0.01, Gets: 0.9}}
	return r
}
