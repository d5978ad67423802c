package report

import (
	"cmp"
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
// A continued run is a benchmark of its own, named after the Gets before it. So are curves of one dataset and engine
// that differ in their configuration. Runs whose self-checks failed and predictions are not written.
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
	parts := make([]string, len(curves))
	for i, c := range curves {
		if len(c.Runs) == 0 || alike[benchmarkSubject(c.Runs[0])] == 1 {
			continue
		}
		part := "/curve=" + namePart(c.Name)
		for slices.Contains(parts, part) { // names that differ in blanks
			part += "_"
		}
		parts[i] = part
	}
	return parts
}

// writeBenchmarks writes the windows of a run and then the run as a whole, and the same of its continuations.
func writeBenchmarks(out *benchfmt.Writer, curve string, r *record.Result) error {
	config := configuration(r)
	for i, run := range r.Parts() {
		after := ""
		if i > 0 {
			after = fmt.Sprintf("/after=%d", r.Continued[i-1].GetsBefore)
		}
		name := benchmarkName(r, curve, after)
		var lines []*benchfmt.Result
		for _, mean := range run.IOsPerGet.Windows {
			values := []benchfmt.Value{{Value: mean, Unit: "ios/" + r.Workload.Words().One}}
			lines = append(lines, &benchfmt.Result{Config: config, Name: name, Iters: int(run.IOsPerGet.WindowGets), Values: values})
		}
		if values := wholeRun(run); len(values) > 0 {
			lines = append(lines, &benchfmt.Result{Config: config, Name: name, Iters: int(run.Workload.Gets), Values: values})
		}
		for _, line := range lines {
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

func wholeRun(r *record.Result) (values []benchfmt.Value) {
	one := r.Workload.Words().One
	add := func(value float64, unit string) { values = append(values, benchfmt.Value{Value: value, Unit: unit}) }
	if r.BytesPerGet > 0 || r.IOsPerGet.Mean == 0 {
		add(r.BytesPerGet, "B/"+one)
	}
	if r.PageBytesPerGet != nil {
		add(*r.PageBytesPerGet, "page-B/"+one)
	}
	for _, component := range record.ComponentNames {
		c, ok := r.Components[component]
		if !ok {
			continue
		}
		name := strings.ReplaceAll(component, "_", "-")
		if c.HitRate != nil {
			add(*c.HitRate, name+"-hits/access")
		}
		add(float64(c.Misses)/float64(r.Workload.Gets), name+"-misses/"+one)
	}
	if r.Cached != nil && r.Cached.HitRate != nil {
		add(*r.Cached.HitRate, "block-cache-hits/access")
	}
	if d := r.Distribution; d != nil {
		add(float64(d.P50), "p50-ios/"+one)
		add(float64(d.P99), "p99-ios/"+one)
		add(float64(d.P999), "p99.9-ios/"+one)
	}
	if l := r.Latency; l != nil {
		add(l.P50*1e3, "p50-ns/"+one)
		add(l.P99*1e3, "p99-ns/"+one)
		add(l.P999*1e3, "p99.9-ns/"+one)
	}
	if k := r.PerKey; k != nil {
		add(k.IOs, "ios/key")
		add(k.Bytes, "B/key")
	}
	return values
}

// configuration returns what tells runs apart besides the cache; unknown items are left out.
func configuration(r *record.Result) (lines []benchfmt.Config) {
	add := func(key, value string) {
		if value = units.OneLine(value); value != "" {
			lines = append(lines, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	// 0 marks a figure as absent.
	addFigure := func(key string, n int64) {
		if n > 0 {
			add(key, fmt.Sprint(n))
		}
	}
	e, d, w := r.Environment, r.Dataset, r.Workload
	add("goos", e.OS)
	add("goarch", e.Arch)
	add("cpu", e.CPU)
	add("engine", r.Engine.Name)
	add("version", r.Engine.Version)
	add("preset", r.Engine.Preset)
	add("dataset", d.Path)
	add("kind", d.Kind)
	addFigure("keys", max(int64(d.Keys), d.Records))
	add("keyspace", d.Keyspace)
	add("values", d.Values)
	addFigure("bytes", d.Bytes)
	add("workload", w.Kind)
	for _, s := range r.Settings() {
		add(s.Key, s.Value)
	}
	addFigure("keys-per-operation", int64(w.Operation.Records))
	add("trace-sha256", w.TraceSHA256)
	add("hit-fraction", fmt.Sprint(w.HitFraction))
	add("lookup", w.Lookup)
	addFigure("updates", r.UpdatesBefore())
	add("update-rate", r.Updates.Wanted())
	add("keys-sha256", w.KeysSHA256)
	add("split", r.Components[record.Index].Split)
	add("page-cache", r.Device.PageCache)
	for _, name := range sortedKeys(r.Engine.Options) {
		add("option-"+configKey(name), r.Engine.Options[name])
	}
	return lines
}

// configKey replaces capitals, blanks and colons, which a key cannot have.
func configKey(name string) string {
	return underscored(strings.ToLower(name), func(r rune) bool { return r == ':' || unicode.IsUpper(r) })
}

// underscored replaces blanks, what cannot be printed, and other characters.
func underscored(s string, other func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || other(r) {
			return '_'
		}
		return r
	}, s)
}

// benchmarkName names a run of a curve and its continuations, which come after a number of Gets. It ends in the number
// of workers.
func benchmarkName(r *record.Result, curve, after string) benchfmt.Name {
	return fmt.Appendf(nil, "%s%s/cache=%s%s-%d", benchmarkSubject(r), curve, units.Exact(r.Cache.Bytes), after, r.Workload.Workers)
}

// benchmarkSubject begins the names of all benchmarks of a curve.
func benchmarkSubject(r *record.Result) string {
	return fmt.Sprintf("%s/dataset=%s/engine=%s", upper(r.Workload.Words().One), namePart(filepath.Base(r.Dataset.Path)), namePart(r.Engine.Name))
}

// namePart replaces blanks, which end a name, and slashes, which divide it.
func namePart(s string) string {
	return cmp.Or(underscored(s, func(r rune) bool { return r == '/' }), units.Absent)
}

// ComparisonBenchmarks writes the runs of a comparison with each cache in Go's benchmark format,
// for 'benchstat -col /side': a benchmark for each side, whose samples are its rounds. The
// configuration is what all sides have in common: benchstat does not compare benchmarks whose
// configurations differ. Nothing is written of a cache with which a self-check of a run failed.
func ComparisonBenchmarks(w io.Writer, runs []*record.Result) error {
	for _, ofCache := range study.GroupBy(runs, func(r *record.Result) any { return r.Cache.Bytes }) {
		if slices.ContainsFunc(ofCache, func(r *record.Result) bool { return !r.Checks.Hold() }) {
			continue
		}
		out, config := benchfmt.NewWriter(w), commonConfiguration(ofCache)
		bySide := study.GroupBy(ofCache, func(r *record.Result) any { return r.ComparisonRun.Side })
		for _, r := range slices.Concat(bySide...) {
			name := fmt.Appendf(nil, "Get/side=%s/cache=%s-%d", namePart(r.ComparisonRun.Side), units.Exact(r.Cache.Bytes), r.Workload.Workers)
			values := slices.Concat([]benchfmt.Value{{Value: r.IOsPerGet.Mean, Unit: "ios/Get"}}, wholeRun(r),
				[]benchfmt.Value{{Value: r.CPUusPerGet, Unit: "cpu-us/Get"}})
			if err := out.Write(&benchfmt.Result{Config: config, Name: name, Iters: int(r.Workload.Gets), Values: values}); err != nil {
				return err
			}
		}
	}
	return nil
}

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
