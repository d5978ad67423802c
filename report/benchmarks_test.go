package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"getio/record"
	"getio/report/study"
)

// reproduced are the records of getio's own runs of the published study.
func reproduced(t *testing.T) record.Set {
	t.Helper()
	r, err := record.ReadFiles("../results/small.jsonl", "../results/medium.jsonl", "../results/large.jsonl")
	require.NoError(t, err)
	return r
}

// benchmark is the lines of one name.
type benchmark struct {
	samples map[string][]float64 // by unit
	config  map[string]string
}

// parsed reads the format with Go's own reader, which must find no error.
func parsed(t *testing.T, text string) map[string]*benchmark {
	t.Helper()
	all := map[string]*benchmark{}
	lines := benchfmt.NewReader(strings.NewReader(text), "test")
	for lines.Scan() {
		line, ok := lines.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("a line is no benchmark: %v", lines.Result())
		}
		name := line.Name.String()
		if all[name] == nil {
			all[name] = &benchmark{map[string][]float64{}, map[string]string{}}
		}
		for _, c := range line.Config {
			all[name].config[c.Key] = string(c.Value)
		}
		for _, v := range line.Values {
			all[name].samples[v.Unit] = append(all[name].samples[v.Unit], v.Value)
		}
	}
	require.NoError(t, lines.Err())
	return all
}

// TestBenchmarksAreTheRecords compares what benchstat reads with the records: means of
// windows, configuration and figures of whole runs.
func TestBenchmarksAreTheRecords(t *testing.T) {
	r := reproduced(t)
	var out bytes.Buffer
	require.NoError(t, Benchmarks(&out, study.New(r)))
	all := parsed(t, out.String())
	runs := 0
	check := func(of *record.Result, after string, io *record.IOsPerGet, bytes float64, components map[string]record.Component, gets int64) {
		t.Helper()
		runs++
		name := benchmarkName(of, "", after).String()
		b := all[name]
		require.NotNil(t, b, "no benchmark %s", name)
		sample := benchmath.NewSample(b.samples["ios/Get"], &benchmath.DefaultThresholds)
		if len(sample.Values) != len(io.Windows) || len(io.Windows) < 10 {
			t.Errorf("%s: %d windows, want %d", name, len(sample.Values), len(io.Windows))
		}
		if got := benchmath.AssumeNormal.Summary(sample, 0.95).Center; math.Abs(got-io.Mean) > 1e-9*io.Mean {
			t.Errorf("%s: the mean is %v, want %v", name, got, io.Mean)
		}
		if got := b.samples["B/Get"]; len(got) != 1 || got[0] != bytes {
			t.Errorf("%s: %v bytes per Get, want %v", name, got, bytes)
		}
		if got, want := b.samples["index-misses/Get"], float64(components["index"].Misses)/float64(gets); len(got) != 1 || math.Abs(got[0]-want) > 1e-12 {
			t.Errorf("%s: %v misses of index blocks, want %v", name, got, want)
		}
		if got := b.samples["index-hits/access"]; len(got) != 1 || got[0] != *components["index"].HitRate {
			t.Errorf("%s: %v hits of index blocks, want %v", name, got, *components["index"].HitRate)
		}
		if b.config["engine"] != of.Engine.Name || b.config["version"] != of.Engine.Version || b.config["dataset"] != of.Dataset.Path ||
			b.config["option-block_size"] != of.Engine.Options["block_size"] || b.config["option-target_file_size.l0"] != "2MiB" {
			t.Errorf("%s is of %v", name, b.config)
		}
	}
	for _, result := range r.Results {
		check(result, "", &result.IOsPerGet, result.BytesPerGet, result.Components, result.Workload.Gets)
		for _, more := range result.Continued {
			check(result, fmt.Sprintf("/after=%d", more.GetsBefore), &more.IOsPerGet, more.BytesPerGet, more.Components, more.Gets)
		}
	}
	assert.Equal(t, len(all), runs)
}

// TestCurvesAreOtherBenchmarks: another curve is another benchmark; another engine
// changes only the engine in the name.
func TestCurvesAreOtherBenchmarks(t *testing.T) {
	changed := func(change func(*record.Result)) *record.Result {
		r := result(t, `{"engine":{"options":{"block_size":"4KiB"}}}`)
		change(r)
		return r
	}
	plain := changed(func(*record.Result) {})
	for what, other := range map[string]*record.Result{
		"option":       changed(func(r *record.Result) { r.Engine.Options["block_size"] = "8KiB" }),
		"keys file":    changed(func(r *record.Result) { r.Workload.KeysFile = "a b.txt" }),
		"file's keys":  changed(func(r *record.Result) { r.Workload.KeysSHA256 = "00" }),
		"hit fraction": changed(func(r *record.Result) { r.Workload.HitFraction = 0.5 }),
		"lookup":       changed(func(r *record.Result) { r.Workload.Lookup = record.LookupSeek }),
		"updates":      changed(func(r *record.Result) { r.Workload.Updates = 7 }),
		"directory":    changed(func(r *record.Result) { r.Dataset.Path = "other/small" }),
		"blank":        changed(func(r *record.Result) { r.Dataset.Path = "data/sma ll" }),
	} {
		alike := changed(func(r *record.Result) { r.Dataset.Path = "data/sma_ll" })
		var out bytes.Buffer
		require.NoError(t, Benchmarks(&out, study.New(record.Set{Results: []*record.Result{plain, alike, other}})))
		all := parsed(t, out.String())
		assert.Len(t, all, 3, "another %s: %s", what, out.String())
		configs := map[string]bool{}
		for name, b := range all {
			assert.Equal(t, len(plain.IOsPerGet.Windows), len(b.samples["ios/Get"]), "another %s: windows of %s", what, name)
			configs[fmt.Sprint(b.config)] = true
		}
		assert.Len(t, configs, 3, "another %s shows in no configuration", what)
	}
	engine := changed(func(r *record.Result) { r.Engine.Name, r.Engine.Version = "pebblev2", "v2.0.0" })
	var out bytes.Buffer
	require.NoError(t, Benchmarks(&out, study.New(record.Set{Results: []*record.Result{plain, engine}})))
	for name := range parsed(t, out.String()) {
		assert.Equal(t, benchmarkName(plain, "", "").String(), strings.ReplaceAll(name, "pebblev2", "pebblev1"), "%s differs in more than the engine", name)
	}
}

// TestHostileNamesMakeBenchmarks: whatever names are, each line is a benchmark.
func TestHostileNamesMakeBenchmarks(t *testing.T) {
	for _, name := range []string{"", "a b", "a/b", "\n", "é\u2003漢", "x-64", "Benchmark", "\x00"} {
		r := result(t, "")
		r.Dataset.Path, r.Engine.Name, r.Engine.Preset = name, name, name
		r.Engine.Options = map[string]string{name: "1", "Big: " + name: name}
		var out bytes.Buffer
		require.NoError(t, Benchmarks(&out, study.New(record.Set{Results: []*record.Result{r}})))
		assert.Len(t, parsed(t, out.String()), 1, "%q", name)
	}
}
