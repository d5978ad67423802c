package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/engine/pebble/sstfile"
	"getio/engine/rocksdb"
	"getio/internal/truth"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/record"
	"getio/workload"
	"getio/workload/trace"
)

// GETIO_COVERAGE=N makes N runs of each kind, with a seed each (results/intervals.md, "How often an interval holds the
// truth").
const coverageEnv = "GETIO_COVERAGE"

// enoughSeeds is the number of runs from which shares are judged: with fewer, chance decides.
const enoughSeeds = 200

// logEvery is the number of runs between two reports of a kind, which takes minutes.
const logEvery = 25

// TestIntervalsCoverTheTruth: of each kind of 95% interval that getio prints, about 95 in 100 hold the figure that
// the library alone gives or, where it cannot count the figure, a long run. Each kind is a subtest, which can be run by
// itself.
func TestIntervalsCoverTheTruth(t *testing.T) {
	n := int(fromEnv(t, coverageEnv, 0))
	if n == 0 {
		t.Skipf("%s=N makes N runs of each kind: 200 take hours of a processor", coverageEnv)
	}
	for _, kind := range []struct {
		name string
		test func(t *testing.T, n int)
	}{
		{"measure", coverMeasure},
		{"trees", coverTrees},
		{"steady", coverSteady},
		{"compare", coverCompare},
		{"chain", coverChain},
		{"sample", coverSample},
		{"predict", coverPredict},
		{"categories", coverCategories},
	} {
		t.Run(kind.name, func(t *testing.T) { kind.test(t, n) })
	}
}

// coverage counts the intervals of one kind that hold the truth.
type coverage struct {
	what          string
	runs, covered int
	halves, off   []float64 // half widths, and distances of the runs' figures from the truth; shares of the truth
	// wide allows the intervals to cover the truth in all runs: they are wider than 95% by design.
	wide bool
}

func (c *coverage) add(mean, lo, hi, truth float64) {
	c.runs++
	if lo <= truth && truth <= hi {
		c.covered++
	}
	scale := math.Abs(truth)
	if scale == 0 {
		scale = 1
	}
	c.halves = append(c.halves, (hi-lo)/2/scale)
	c.off = append(c.off, (mean-truth)/scale)
}

// share logs how many intervals hold the truth, and returns their share.
func (c *coverage) share(t *testing.T) float64 {
	t.Helper()
	require.NotZero(t, c.runs, c.what)
	mean, squares := 0.0, 0.0
	for _, off := range c.off {
		mean += off / float64(c.runs)
	}
	for _, off := range c.off {
		squares += (off - mean) * (off - mean)
	}
	halves := slices.Sorted(slices.Values(c.halves))
	share := float64(c.covered) / float64(c.runs)
	t.Logf("%s: %d runs, %d cover the truth (%.1f%%); half interval %.3f%% in the median, runs %+.3f%% off in the mean with a deviation of %.3f%%",
		c.what, c.runs, c.covered, 100*share, 100*halves[c.runs/2], 100*mean, 100*math.Sqrt(squares/float64(max(c.runs-1, 1))))
	return share
}

// report requires about 95% of enough runs.
func (c *coverage) report(t *testing.T) {
	t.Helper()
	share := c.share(t)
	if c.runs < enoughSeeds {
		return
	}
	assert.GreaterOrEqual(t, share, 0.90, c.what)
	if !c.wide {
		assert.LessOrEqual(t, share, 0.99, c.what)
	}
}

// recordsOf runs a command and returns its records.
func recordsOf(t *testing.T, args ...string) *record.Set {
	t.Helper()
	var s record.Set
	require.NoError(t, s.Read(args[0], bytes.NewReader(outputOf(t, args...))))
	return &s
}

func outputOf(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	require.Zero(t, run(append([]string{"getio"}, args...), nil, &out, &errs), "%v: %s", args, &errs)
	return out.Bytes()
}

// A subject is a database with a cache.
type subject struct {
	name, engine string
	load         []string
	cache        int64
}

// The trees are small, so that IP2 of Pebble's is 1.2 MiB. Pebble reserves 256 KiB of the cache for its memtable.
var (
	shapedKeys = []string{"--shaped", "--keys", "600k"}
	subjects   = []subject{
		{"pebblev2_between", "pebblev2", shapedKeys, 1152 << 10},
		{"pebblev2_above", "pebblev2", shapedKeys, 1792 << 10},
		{"goleveldb", "goleveldb", []string{"--keys", "200k"}, 2 << 20},
		{"rocksdb", "rocksdb", []string{"--keys", "200k"}, 2 << 20},
	}
)

// longSeed is of the long runs. No short run has it.
const longSeed = 1_000_000

// longGets is 100 times as many as the shorter runs make, and 20 times as many as runs that find their own length.
const longGets = 2_000_000

// loaded makes the database, and opens it.
func (s *subject) loaded(t *testing.T) *database.Database {
	t.Helper()
	if s.engine == "rocksdb" && rocksdb.Missing {
		t.Skip("built without RocksDB")
	}
	dir := filepath.Join(t.TempDir(), "d")
	require.NoError(t, getio(append([]string{"load", dir, "--engine", s.engine}, s.load...)...))
	return s.opened(t, dir)
}

func (s *subject) opened(t *testing.T, dir string) *database.Database {
	t.Helper()
	d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{Engine: s.engine})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

// measured makes a run as measure does, but for the division of index and data accesses, which takes as long as the
// run and has no interval. 0 Gets: the run finds its own length.
func (s *subject) measured(t *testing.T, d *database.Database, seed int, gets int64, warmup string) *record.Result {
	t.Helper()
	rule, err := workload.ParseWarmup(warmup)
	require.NoError(t, err)
	sweep := measure.Sweep{
		Database: d,
		Options:  measure.Options{Workload: workload.Workload{Keys: workload.Keys{Seed: uint64(seed)}, Gets: gets, Warmup: rule, Workers: 1}, Counted: measure.Counted{NoSplit: true}},
	}
	r, err := sweep.One(t.Context(), engine.OpenConfig{CacheBytes: s.cache})
	require.NoError(t, err)
	require.NoError(t, r.Checks.Err())
	return r
}

// alone returns what the library alone reads with a cache like that of a record, and as many workers. Each test draws
// other keys: with the same ones for all trees, an error of chance would look like a bias. The sides of a comparison share them.
func alone(t *testing.T, library, dir string, c record.Cache, workers int, p precision) trueFigure {
	t.Helper()
	l := libraries[slices.IndexFunc(libraries, func(l truth.Library) bool { return l.Name == library })]
	r, err := l.Open(dir, truth.Cache{Bytes: c.Bytes, Reserved: c.ReservedBytes, Shards: c.Shards})
	require.NoError(t, err)
	seed := fnv.New64a()
	fmt.Fprintln(seed, t.Name(), c.Bytes)
	f, err := measureTruth(r, workers, seed.Sum64(), p)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return f
}

// coveragePrecision makes the error of the truth small beside that of the runs, which all are compared with the same one.
var coveragePrecision = precision{Relative: 0.0005, Absolute: 0.0003}

// truth returns the truth of the subject.
func (s *subject) truth(t *testing.T, d *database.Database) float64 {
	t.Helper()
	r := s.measured(t, d, longSeed, 1000, "0")
	f := alone(t, s.engine, d.Info().Dir, r.Cache, 1, coveragePrecision)
	t.Logf("%s, cache %d, IP1 %d, IP2 %d: %.5f ± %.5f reads per Get", s.name, s.cache, r.Shape.IP1Bytes, r.Shape.IP2Bytes, f.Mean, f.Half)
	return f.Mean
}

// coverMeasure covers runs with a given number of Gets, and those that find their own length.
func coverMeasure(t *testing.T, n int) {
	for _, s := range subjects {
		for _, gets := range []int64{20_000, 0} {
			name := "own_length"
			if gets > 0 {
				name = fmt.Sprint(gets, "_Gets")
			}
			t.Run(s.name+"/"+name, func(t *testing.T) {
				s.cover(t, s.loaded(t), n, gets, name)
			})
		}
	}
}

// coverTrees covers runs that find their own length, on databases as people have them.
func coverTrees(t *testing.T, n int) {
	for _, tree := range truth.Trees(30_000) {
		for _, l := range libraries {
			if !l.Has(tree) || tree.Unread {
				continue
			}
			t.Run(tree.Name+"/"+l.Name, func(t *testing.T) {
				s := subject{name: tree.Name + ", " + l.Name, engine: l.Name, cache: tree.CachesOf()[0]}
				s.cover(t, s.opened(t, writtenTree(t, l, tree)), n, 0, "own_length")
			})
		}
	}
}

// cover counts the runs of n seeds whose interval holds the truth.
func (s *subject) cover(t *testing.T, d *database.Database, n int, gets int64, name string) {
	t.Helper()
	is := s.truth(t, d)
	// No half interval of a run that finds its own length is narrower than 0.25%.
	c := coverage{what: "measure, " + s.name + ", " + name, wide: gets == 0}
	var rule steadyRule
	for seed := 1; seed <= n; seed++ {
		io := s.measured(t, d, seed, gets, "auto").IOsPerGet
		c.add(io.Mean, io.CI95[0], io.CI95[1], is)
		rule.add(io, is)
		if seed%logEvery == 0 && seed < n {
			c.share(t)
			rule.log(t, c.what)
		}
	}
	if gets == 0 {
		rule.report(t, c.what)
	}
	c.report(t)
}

// steadyRule counts what runs are called, by whether their mean differs from the long run's by more than the rule
// lets a mean change.
type steadyRule struct{ runs, differ, wronglySteady, wronglyNot, unknown int }

func (s *steadyRule) add(io record.IOsPerGet, truth float64) {
	off := steady.Drift{Relative: io.Mean/truth - 1, Mean: truth}
	s.runs++
	if !off.Steady() {
		s.differ++
	}
	switch {
	case io.Steady == nil:
		s.unknown++
	case *io.Steady && !off.Steady():
		s.wronglySteady++
	case !*io.Steady && off.Steady():
		s.wronglyNot++
	}
}

func (s *steadyRule) log(t *testing.T, what string) {
	t.Helper()
	t.Logf("steady rule, %s: %d runs, of which %d differ from the long run by more than the rule allows; %d of them were called steady; %d others were called not steady; %d were called neither",
		what, s.runs, s.differ, s.wronglySteady, s.wronglyNot, s.unknown)
}

func (s *steadyRule) report(t *testing.T, what string) {
	t.Helper()
	s.log(t, what)
	if s.runs >= enoughSeeds {
		assert.LessOrEqual(t, s.wronglySteady, s.runs*5/100, what)
	}
}

// coverSteady judges runs that begin with an empty cache, which drift, and runs of a given length, which another
// rule calls steady or not.
func coverSteady(t *testing.T, n int) {
	s := subjects[0]
	for _, of := range []struct {
		name, warmup string
		gets         int64
	}{
		{"own_length_cold", "0", 0}, {"100k_Gets", "auto", 100_000}, {"100k_Gets_cold", "0", 100_000},
	} {
		t.Run(of.name, func(t *testing.T) {
			d := s.loaded(t)
			is := s.truth(t, d)
			var rule steadyRule
			for seed := 1; seed <= n; seed++ {
				rule.add(s.measured(t, d, seed, of.gets, of.warmup).IOsPerGet, is)
				if seed%logEvery == 0 && seed < n {
					rule.log(t, of.name)
				}
			}
			rule.report(t, of.name)
		})
	}
}

// coverCompare covers the difference and the ratio of two block sizes.
func coverCompare(t *testing.T, n int) {
	const rounds = 3
	dirs := map[string]string{}
	long := map[string]*record.Result{}
	for _, size := range []string{"4KiB", "8KiB"} {
		s := subject{"block_size=" + size, "pebblev2", append(slices.Clone(shapedKeys), "--option", "block_size="+size), 1152 << 10}
		d := s.loaded(t)
		dirs[size], long[size] = d.Dir, s.measured(t, d, longSeed, longGets, "auto")
	}
	base, side := long["4KiB"], long["8KiB"]
	baseAlone := alone(t, "pebblev2", dirs["4KiB"], base.Cache, base.Workload.Workers, coveragePrecision)
	sideAlone := alone(t, "pebblev2", dirs["8KiB"], side.Cache, side.Workload.Workers, coveragePrecision)
	truths := map[string][2]float64{
		record.MetricIOs:   {baseAlone.Mean, sideAlone.Mean},
		record.MetricBytes: {baseAlone.Bytes, sideAlone.Bytes},
	}
	// The library alone does not say which component it reads.
	perGet := func(r *record.Result, name string) float64 {
		return float64(r.Components[name].Misses) / float64(r.Workload.Gets)
	}
	for _, name := range []string{"index", "data"} {
		truths[name] = [2]float64{perGet(base, name), perGet(side, name)}
	}
	ratios, differences, sides := map[string]*coverage{}, map[string]*coverage{}, map[string]*coverage{}
	for metric := range truths {
		ratios[metric] = &coverage{what: "compare, ratio of " + metric}
		differences[metric] = &coverage{what: "compare, difference of " + metric}
		sides[metric] = &coverage{what: "compare, one side's " + metric}
	}
	for i := range n {
		// compare adds one to the seed in each round.
		s := recordsOf(t, "compare", dirs["4KiB"]+":label=small", dirs["8KiB"]+":label=large", "--cache", "1152KiB", "--rounds", strconv.Itoa(rounds),
			"--gets", "5k", "--warmup", "5k", "--workers", "1", "--seed", strconv.Itoa(1+i*rounds), "--json")
		if i > 0 && i%logEvery == 0 {
			ratios[record.MetricIOs].share(t)
			differences[record.MetricIOs].share(t)
			ratios[record.MetricBytes].share(t)
		}
		for _, c := range s.Comparisons {
			is, there := truths[c.Metric]
			if !there || c.Ratio == nil {
				continue
			}
			ratios[c.Metric].add(c.Ratio.Mean, c.Ratio.CI95[0], c.Ratio.CI95[1], is[1]/is[0])
			differences[c.Metric].add(c.Difference.Mean, c.Difference.CI95[0], c.Difference.CI95[1], is[1]-is[0])
			e := c.Base.Estimate
			sides[c.Metric].add(e.Mean, e.CI95[0], e.CI95[1], is[0])
		}
	}
	for _, metric := range []string{record.MetricIOs, record.MetricBytes, "index", "data"} {
		ratios[metric].report(t)
		differences[metric].report(t)
		sides[metric].report(t)
	}
}

func builtChain(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c")
	require.NoError(t, getio("chain", "build", dir, "--accounts", "50k", "--slots", "8", "--blocks", "200", "--txs", "6", "--age", "50", "--freezer", "100", "--flat"))
	return dir
}

// coverChain covers the reads of one operation of a client.
func coverChain(t *testing.T, n int) {
	dir := builtChain(t)
	measure := func(seed int, ops, warmup string) *record.Chain {
		s := recordsOf(t, "chain", "measure", dir, "--op", "getBalance", "--cache", "512KiB", "--ops", ops, "--warmup", warmup, "--seed", strconv.Itoa(seed), "--json")
		require.Len(t, s.Chains, 1)
		return s.Chains[0]
	}
	long := measure(longSeed, "100k", "auto")
	t.Logf("the long run has %.4f reads per operation, %.1f Gets; IP1 %d, IP2 %d bytes", long.Reads.Mean, long.PerOp.KVGets, long.Shape.IP1Bytes, long.Shape.IP2Bytes)
	c := coverage{what: "chain measure --op getBalance --ops 1k, 512KiB"}
	for seed := 1; seed <= n; seed++ {
		if seed%logEvery == 0 {
			c.share(t)
		}
		io := measure(seed, "1k", "auto").Reads
		c.add(io.Mean, io.CI95[0], io.CI95[1], long.Reads.Mean)
	}
	c.report(t)
}

// coverSample covers the standard error of a trace that is a sample of keys, as curve and advise print it: of all samples of
// one run's Gets that a recording might take, against the same Gets without sampling.
func coverSample(t *testing.T, n int) {
	tree := subject{engine: "pebblev2", load: []string{"--keys", "100k", "--option", "target_file_size=256KiB", "--option", "lbase_max_bytes=1MiB", "--option", "memtable_size=2MiB"}}
	dir := tree.loaded(t).Dir
	const one, warmup, gets = 4, 10_000, 10_000
	// The jackknife's standard error of a sample is larger than the deviation between samples.
	const wide = true
	caches := []string{"2560KiB", "4MiB"}
	for _, popularity := range [][]string{{"--zipf", "0.8"}, nil} {
		whole := filepath.Join(t.TempDir(), "whole.trace")
		recordsOf(t, append([]string{"measure", dir, "--cache", caches[0], "--workers", "1", "--json",
			"--gets", strconv.Itoa(gets), "--warmup", strconv.Itoa(warmup), "--record", whole}, popularity...)...)
		keys := keysOf(t, whole)
		starts := blockStarts(t, dir)
		curve := func(path string) []*record.Prediction {
			return recordsOf(t, "curve", dir, "--trace", path, "--cache", strings.Join(caches, ","), "--json").Predictions
		}
		truth := curve(whole)
		require.Len(t, truth, len(caches))
		var kinds, within []coverage
		for _, cache := range caches {
			kinds = append(kinds, coverage{what: fmt.Sprintf("curve of a sample %v, %s, by Student's t", popularity, cache), wide: wide})
			within = append(within, coverage{what: fmt.Sprintf("curve of a sample %v, %s, one standard error", popularity, cache)})
		}
		for seed := 1; seed <= n; seed++ {
			path := filepath.Join(t.TempDir(), fmt.Sprint(seed, ".trace"))
			writeSample(t, path, keys, starts, one, warmup, uint64(seed))
			if seed%logEvery == 0 {
				kinds[0].share(t)
			}
			for i, p := range curve(path) {
				mean, off, is := *p.IOsPerGet.Window, *p.IOsPerGet.Error, *truth[i].IOsPerGet.Window
				half := interval.Student(interval.Usual, 9) * off
				kinds[i].add(mean, mean-half, mean+half, is)
				within[i].add(mean, mean-off, mean+off, is)
			}
			require.NoError(t, os.Remove(path))
		}
		for i := range kinds {
			t.Logf("%s: %d of %d", within[i].what, within[i].covered, within[i].runs)
			kinds[i].report(t)
		}
	}
}

func keysOf(t *testing.T, path string) (keys [][]byte) {
	t.Helper()
	r, err := trace.NewReader(path)
	require.NoError(t, err)
	defer r.Close()
	var o trace.Operation
	for r.Next(&o) == nil {
		keys = append(keys, bytes.Clone(o.Keys[0].Bytes))
	}
	return keys
}

// blockStarts returns where the data blocks of the last level begin, in order: the ranges of keys of a sample.
func blockStarts(t *testing.T, dir string) (starts [][]byte) {
	t.Helper()
	d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{})
	require.NoError(t, err)
	defer d.Close()
	levels := d.Store.Shape().Levels
	for _, table := range levels[len(levels)-1].TableList {
		list, err := sstfile.Starts(table.File, filepath.Join(d.Store.Info().Dir, fmt.Sprintf("%06d.sst", table.File)), 1)
		require.NoError(t, err)
		starts = append(starts, list...)
	}
	slices.SortFunc(starts, bytes.Compare)
	return starts
}

// writeSample writes the Gets of a sample of the ranges of keys as a recording would, which takes four of each row of
// neighbours (watch).
func writeSample(t *testing.T, path string, keys, starts [][]byte, one, warmup int, seed uint64) {
	t.Helper()
	const row = 4
	random := rand.New(rand.NewPCG(seed, 5))
	var taken []bool
	for len(taken) <= len(starts) {
		from := len(taken)
		taken = append(taken, make([]bool, row*one)...)
		for _, i := range random.Perm(row * one)[:row] {
			taken[from+i] = true
		}
	}
	w, err := trace.Create(path, &trace.Recorded{Gets: int64(len(keys)), Before: int64(warmup), Sample: int64(one), Keys: trace.Whole})
	require.NoError(t, err)
	before := int64(0)
	for i, key := range keys {
		in := sort.Search(len(starts), func(j int) bool { return bytes.Compare(starts[j], key) > 0 })
		if !taken[in] {
			continue
		}
		if i < warmup {
			before++
		}
		require.NoError(t, w.Write(&trace.Operation{Kind: workload.Get, Keys: []trace.Key{{Bytes: key}}, Seen: trace.Seen{By: 1, In: int64(in) + 1}}))
	}
	require.NoError(t, w.Finish(before))
}

// coverPredict covers the standard error of simulating some shards of a cache, against all of them.
func coverPredict(t *testing.T, n int) {
	predict := func(seed int, more ...string) record.PredictedIOs {
		args := append([]string{"predict", "--keys", "2M", "--cache", "8MiB", "--shards", "64", "--gets", "30k", "--warmup", "30k", "--seed", strconv.Itoa(seed), "--json"}, more...)
		s := recordsOf(t, args...)
		require.Len(t, s.Predictions, 1)
		return s.Predictions[0].IOsPerGet
	}
	c := coverage{what: "predict of 16 of 64 shards, by Student's t"}
	within := coverage{what: "one standard error"}
	for seed := 1; seed <= n; seed++ {
		some, all := predict(seed), predict(seed, "--all-shards")
		half := interval.Student(interval.Usual, 15) * *some.Error
		c.add(*some.Window, *some.Window-half, *some.Window+half, *all.Window)
		within.add(*some.Window, *some.Window-*some.Error, *some.Window+*some.Error, *all.Window)
	}
	t.Logf("%s: %d of %d", within.what, within.covered, within.runs)
	c.report(t)
}

// coverCategories covers the estimated keys and bytes in all, and the keys of each category, against the exact ones: of a chain whose keys are nearly all in one level, and of one with a third of them in another.
func coverCategories(t *testing.T, n int) {
	two := filepath.Join(t.TempDir(), "c")
	require.NoError(t, getio("chain", "build", two, "--accounts", "200k", "--blocks", "3k", "--flat"))
	coverCensus(t, n, builtChain(t), "200")
	coverCensus(t, n, two, "5000")
}

func coverCensus(t *testing.T, n int, dir, ranges string) {
	inspect := func(more ...string) (c record.Categories) {
		require.NoError(t, json.Unmarshal(outputOf(t, append([]string{"inspect", dir, "--categories", "--json"}, more...)...), &c))
		return c
	}
	exact := inspect("--exact")
	what := "inspect --categories --sample " + ranges
	// Intervals of keys allow for ranges, with keys or without, of which the sample has none.
	keys, size := coverage{what: what + ", keys in all", wide: true}, coverage{what: what + ", bytes in all"}
	ofCategory := map[string]*coverage{}
	for seed := 1; seed <= n; seed++ {
		got := inspect("--sample", ranges, "--seed", strconv.Itoa(seed))
		add := func(c *coverage, got, exact int64, half float64) {
			c.add(float64(got), float64(got)-half, float64(got)+half, float64(exact))
		}
		all := got.Total
		add(&keys, all.Keys, exact.Total.Keys, *all.KeysHalfWidth())
		add(&size, all.KeyBytes+all.ValueBytes, exact.Total.KeyBytes+exact.Total.ValueBytes, *all.BytesHalfWidth())
		for category, one := range got.Categories {
			if ofCategory[category] == nil {
				ofCategory[category] = &coverage{what: what + ", keys of " + category, wide: true}
			}
			add(ofCategory[category], one.Keys, exact.Categories[category].Keys, *one.KeysHalfWidth())
		}
	}
	keys.report(t)
	size.report(t)
	for _, c := range ofCategory {
		c.report(t)
	}
}
