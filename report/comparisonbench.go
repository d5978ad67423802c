package report

import (
	"fmt"
	"io"
	"slices"

	"golang.org/x/perf/benchfmt"

	"getio/experiment/compare"
	"getio/numbers/units"
	"getio/record"
)

// ComparisonBenchmarks writes the runs of a comparison with one cache in Go's benchmark
// format, for 'benchstat -col /side': a benchmark for each side, whose samples are its
// rounds. The configuration is what all sides have in common: benchstat does not compare
// benchmarks whose configurations differ. Nothing is written if a self-check of a run
// failed.
func ComparisonBenchmarks(w io.Writer, sides []compare.Side) error {
	out := benchfmt.NewWriter(w)
	var all []*record.Result
	for _, s := range sides {
		all = append(all, s.Runs...)
	}
	if slices.ContainsFunc(all, func(r *record.Result) bool { return !r.Checks.Hold() }) {
		return nil
	}
	config := commonConfiguration(all)
	for _, s := range sides {
		for _, r := range s.Runs {
			run := wholeRun{gets: r.Workload.Gets, ios: &r.IOsPerGet, bytes: r.BytesPerGet, components: r.Components, cached: r.Cached}
			values := append([]benchfmt.Value{{Value: r.IOsPerGet.Mean, Unit: "ios/Get"}}, run.values(r)...)
			values = append(values, benchfmt.Value{Value: r.CPUusPerGet, Unit: "cpu-us/Get"})
			name := fmt.Appendf(nil, "Get/side=%s/cache=%s-%d", namePart(s.Label), units.Exact(r.Cache.Bytes), r.Workload.Workers)
			if err := out.Write(&benchfmt.Result{Config: config, Name: name, Iters: int(r.Workload.Gets), Values: values}); err != nil {
				return err
			}
		}
	}
	return nil
}

// commonConfiguration returns what the configurations of all runs have in common.
func commonConfiguration(runs []*record.Result) []benchfmt.Config {
	common := configuration(runs[0])
	for _, r := range runs[1:] {
		other := configuration(r)
		common = slices.DeleteFunc(common, func(line benchfmt.Config) bool {
			return !slices.ContainsFunc(other, func(o benchfmt.Config) bool { return o.Key == line.Key && string(o.Value) == string(line.Value) })
		})
	}
	return common
}
