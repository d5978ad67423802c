package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Benchmarks writes the runs of a study in Go's benchmark format, for benchstat. The configuration
// is the database, engine and workload. Each cache is a benchmark whose samples are the windows of
// the run in I/Os per Get (ios/Get). One further line has the figures of the whole run: bytes per
// Get (B/Get), hits per access and misses per Get of each component, and the median, 99th and
// 99.9th percentile of reads (p99-ios/Get) and latency (p99-ns/Get) of single Gets.
//
// A continued run is a benchmark of its own, named after the Gets before it. So are
// curves of one dataset and engine that differ in their configuration. Runs whose
// self-checks failed and predictions are not written.
//
// The number after a name's last dash is that of the workers.
func Benchmarks(w io.Writer, s *study.Study) error {
	out := benchfmt.NewWriter(w)
	parts := curveParts(s.Curves)
	for i, c := range s.Curves {
		for _, r := range c.Runs {
			if err := writeBenchmarks(out, parts[i], r); err != nil {
				return err
			}
		}
	}
	return nil
}

// curveParts returns for each curve the part of its benchmarks' names that tells it from others of
// the same dataset and engine, which benchstat would take for one. It is empty where there is no
// such curve: benchstat compares engines whose benchmarks differ in nothing else.
func curveParts(curves []*study.Curve) []string {
	alike := map[string]int{}
	for _, c := range curves {
		if len(c.Runs) > 0 {
			alike[benchmarkSubject(c.Runs[0])]++
		}
	}
	parts, taken := make([]string, len(curves)), map[string]bool{}
	for i, c := range curves {
		if len(c.Runs) == 0 || alike[benchmarkSubject(c.Runs[0])] == 1 {
			continue
		}
		parts[i] = "/curve=" + namePart(c.Name)
		for taken[parts[i]] { // names that differ in blanks
			parts[i] += "_"
		}
		taken[parts[i]] = true
	}
	return parts
}

func writeBenchmarks(out *benchfmt.Writer, curve string, r *record.Result) error {
	run := wholeRun{curve, "", r.Workload.Gets, &r.IOsPerGet, r.BytesPerGet, r.Components, r.Cached, r.Distribution, r.Latency}
	if err := run.write(out, r); err != nil {
		return err
	}
	for _, more := range r.Continued {
		if err := continuation(curve, more).write(out, r); err != nil {
			return err
		}
	}
	return nil
}

func continuation(curve string, c record.Continuation) wholeRun {
	return wholeRun{curve, fmt.Sprintf("/after=%d", c.GetsBefore), c.Gets, &c.IOsPerGet, c.BytesPerGet, c.Components, c.Cached, nil, nil}
}

// wholeRun is what a measurement and a continuation have in common.
type wholeRun struct {
	curve      string // part of the name
	after      string // part of the name
	gets       int64
	ios        *record.IOsPerGet
	bytes      float64 // per Get
	components map[string]record.Component
	cached     *record.BlockCache

	// nil: unknown
	distribution *record.Distribution
	latency      *record.Latency
}

// write writes the windows and then the run as a whole.
func (run wholeRun) write(out *benchfmt.Writer, r *record.Result) error {
	line := benchfmt.Result{Config: configuration(r), Name: run.name(r)}
	for _, mean := range run.ios.Windows {
		line.Iters, line.Values = int(run.ios.WindowGets), []benchfmt.Value{{Value: mean, Unit: "ios/" + r.Workload.Words().One}}
		if err := out.Write(&line); err != nil {
			return err
		}
	}
	line.Iters, line.Values = int(run.gets), run.values(r)
	if len(line.Values) == 0 {
		return nil
	}
	return out.Write(&line)
}

// values returns the known figures of the whole run.
func (run wholeRun) values(r *record.Result) (values []benchfmt.Value) {
	one := r.Workload.Words().One
	if run.bytes > 0 || run.ios.Mean == 0 {
		values = append(values, benchfmt.Value{Value: run.bytes, Unit: "B/" + one})
	}
	for _, component := range record.ComponentNames {
		c, ok := run.components[component]
		if !ok {
			continue
		}
		name := strings.ReplaceAll(component, "_", "-")
		if c.HitRate != nil {
			values = append(values, benchfmt.Value{Value: *c.HitRate, Unit: name + "-hits/access"})
		}
		values = append(values, benchfmt.Value{Value: float64(c.Misses) / float64(run.gets), Unit: name + "-misses/" + one})
	}
	if run.cached != nil && run.cached.HitRate != nil {
		values = append(values, benchfmt.Value{Value: *run.cached.HitRate, Unit: "block-cache-hits/access"})
	}
	values = append(values, run.singles(one)...)
	if k := r.PerKey; k != nil && run.after == "" {
		values = append(values, benchfmt.Value{Value: k.IOs, Unit: "ios/key"}, benchfmt.Value{Value: k.Bytes, Unit: "B/key"})
	}
	return values
}

// singles returns the known figures of single Gets.
func (run wholeRun) singles(one string) (values []benchfmt.Value) {
	if d := run.distribution; d != nil {
		values = append(values,
			benchfmt.Value{Value: float64(d.P50), Unit: "p50-ios/" + one},
			benchfmt.Value{Value: float64(d.P99), Unit: "p99-ios/" + one},
			benchfmt.Value{Value: float64(d.P999), Unit: "p99.9-ios/" + one})
	}
	if l := run.latency; l != nil {
		values = append(values,
			benchfmt.Value{Value: l.P50 * 1e3, Unit: "p50-ns/" + one},
			benchfmt.Value{Value: l.P99 * 1e3, Unit: "p99-ns/" + one},
			benchfmt.Value{Value: l.P999 * 1e3, Unit: "p99.9-ns/" + one})
	}
	return values
}

// configuration returns what tells runs apart besides the cache; unknown items are left out.
func configuration(r *record.Result) (lines []benchfmt.Config) {
	d, w := r.Dataset, r.Workload
	for _, line := range []struct{ key, value string }{
		{"goos", r.Environment.OS},
		{"goarch", r.Environment.Arch},
		{"cpu", r.Environment.CPU},
		{"engine", r.Engine.Name},
		{"version", r.Engine.Version},
		{"preset", r.Engine.Preset},
		{"dataset", d.Path},
		{"kind", d.Kind},
		{"keys", known(max(int64(d.Keys), d.Records))},
		{"keyspace", d.Keyspace},
		{"values", d.Values},
		{"bytes", known(d.Bytes)},
		{"workload", w.Kind},
		{"operation", w.Operation},
		{"keys-per-operation", known(int64(w.KeysPerOperation))},
		{"trace", w.Trace},
		{"trace-sha256", w.TraceSHA256},
		{"popularity", w.Popularity.String()},
		{"hit-fraction", fmt.Sprint(w.HitFraction)},
		{"lookup", w.Lookup},
		{"updates", known(r.UpdatesBefore())},
		{"update-rate", study.UpdateRate(r.Updates)},
		{"keys-file", w.KeysFile},
		{"keys-sha256", w.KeysSHA256},
		{"split", r.Components[record.Index].Split},
		{"page-cache", r.Device.PageCache},
		{"rate", known(r.TargetRate())},
	} {
		lines = appendConfig(lines, line.key, line.value)
	}
	for _, name := range sortedKeys(r.Engine.Options) {
		lines = appendConfig(lines, "option-"+configKey(name), r.Engine.Options[name])
	}
	return lines
}

func appendConfig(lines []benchfmt.Config, key, value string) []benchfmt.Config {
	if value = units.OneLine(value); value == "" {
		return lines
	}
	return append(lines, benchfmt.Config{Key: key, Value: []byte(value), File: true})
}

// configKey replaces capitals, blanks and colons, which a key cannot have.
func configKey(name string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		if r == ':' || unicode.IsUpper(r) || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name)
}

// known writes a figure; "" for 0, which marks it as absent.
func known(n int64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (run wholeRun) name(r *record.Result) benchfmt.Name {
	return fmt.Appendf(nil, "%s%s/cache=%s%s-%d", benchmarkSubject(r), run.curve, units.Exact(r.Cache.Bytes), run.after, r.Workload.Workers)
}

// benchmarkSubject begins the names of all benchmarks of a curve.
func benchmarkSubject(r *record.Result) string {
	return fmt.Sprintf("%s/dataset=%s/engine=%s", upper(r.Workload.Words().One), namePart(filepath.Base(r.Dataset.Path)), namePart(r.Engine.Name))
}

// namePart replaces blanks, which end a name, and slashes, which divide it.
func namePart(s string) string {
	part := strings.Map(func(r rune) rune {
		if r == '/' || !unicode.IsPrint(r) || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, s)
	return orAbsent(part)
}

// ComparisonBenchmarks writes the runs of a comparison with each cache in Go's benchmark format,
// for 'benchstat -col /side': a benchmark for each side, whose samples are its rounds. The
// configuration is what all sides have in common: benchstat does not compare benchmarks whose
// configurations differ. Nothing is written of a cache with which a self-check of a run failed.
func ComparisonBenchmarks(w io.Writer, runs []*record.Result) error {
	for _, ofCache := range study.GroupBy(runs, func(r *record.Result) any { return r.Cache.Bytes }) {
		if err := comparisonBenchmarks(w, ofCache); err != nil {
			return err
		}
	}
	return nil
}

func comparisonBenchmarks(w io.Writer, all []*record.Result) error {
	out := benchfmt.NewWriter(w)
	if slices.ContainsFunc(all, func(r *record.Result) bool { return !r.Checks.Hold() }) {
		return nil
	}
	config := commonConfiguration(all)
	for _, ofSide := range study.GroupBy(all, func(r *record.Result) any { return r.ComparisonRun.Side }) {
		for _, r := range ofSide {
			run := wholeRun{gets: r.Workload.Gets, ios: &r.IOsPerGet, bytes: r.BytesPerGet, components: r.Components, cached: r.Cached}
			values := append([]benchfmt.Value{{Value: r.IOsPerGet.Mean, Unit: "ios/Get"}}, run.values(r)...)
			values = append(values, benchfmt.Value{Value: r.CPUusPerGet, Unit: "cpu-us/Get"})
			name := fmt.Appendf(nil, "Get/side=%s/cache=%s-%d", namePart(r.ComparisonRun.Side), units.Exact(r.Cache.Bytes), r.Workload.Workers)
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
