package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/rocksdb"
	"getio/record"
	"getio/truth"
	"getio/truth/goleveldb"
	"getio/truth/pebblev1"
	"getio/truth/pebblev2"
	truerocksdb "getio/truth/rocksdb"
)

// truthEnv makes TestTruth compare all figures of all trees, and write them to this file and the document.
const truthEnv = "GETIO_TRUTH"

// truthPrecision is how well the truth is known, with 95% confidence: better than what the figures are held against.
var truthPrecision = truth.Precision{Relative: 0.002, Absolute: 0.001}

// The bounds of docs/method.md, as a share of the truth. What is off by less than leastOff reads per Get is not off.
const (
	mostOff          = 0.01
	mostPredictedOff = 0.03
	leastOff         = 0.005
	leastWithin      = 0.93 // of all intervals
)

// comparison is a figure of getio, and the same figure counted by the library alone.
type comparison struct {
	tree, engine, command, what string
	truth, truthHalf            float64
	figure                      float64
	low, high                   *float64 // the interval that getio states; nil without one
	failure                     string   // why there is no figure
}

func (c *comparison) off() float64 { return c.figure - c.truth }

// near reports whether the figure is within a share of the truth.
func (c *comparison) near(share float64) bool {
	return c.failure == "" && math.Abs(c.off()) <= max(share*c.truth, leastOff)
}

// within reports whether the interval holds the truth. That is not known exactly: both errors add up as those of
// independent figures do.
func (c *comparison) within() bool {
	if c.failure != "" || c.low == nil {
		return false
	}
	half := c.figure - *c.low
	if c.off() < 0 {
		half = *c.high - c.figure
	}
	return math.Abs(c.off()) <= math.Hypot(half, c.truthHalf)
}

// holds reports whether the figure is as right as the document says that figures of its command are.
func (c *comparison) holds() bool {
	switch c.command {
	case "measure", "sweep", "curve":
		return c.near(mostOff)
	case "predict", "advise":
		return c.near(mostPredictedOff) || c.within()
	}
	return c.within()
}

func (c *comparison) row() []string {
	optional := func(f *float64) string {
		if f == nil {
			return ""
		}
		return strconv.FormatFloat(*f, 'g', 6, 64)
	}
	row := []string{c.tree, c.engine, c.command, c.what, optional(&c.truth), optional(&c.truthHalf), "", "", "", c.failure}
	if c.failure == "" {
		row[6], row[7], row[8] = optional(&c.figure), optional(c.low), optional(c.high)
	}
	return row
}

func (c *comparison) String() string {
	return strings.Join(c.row(), " ")
}

var comparisonColumns = []string{"tree", "engine", "command", "of", "truth", "truth_half", "figure", "low", "high", "failure"}

var libraries = []truth.Library{pebblev1.Library, pebblev2.Library, goleveldb.Library, truerocksdb.Library}

// subjectTree is a tree that a library wrote.
type subjectTree struct {
	truth.Tree
	library truth.Library
	dir     string
	all     *[]comparison
	truths  map[int64]truth.Figure // by cache
}

func (s *subjectTree) add(command, what string, is truth.Figure, figure float64, interval *[2]float64) {
	c := comparison{tree: s.Name, engine: s.library.Name, command: command, what: what, truth: is.Mean, truthHalf: is.Half, figure: figure}
	if interval != nil {
		c.low, c.high = &interval[0], &interval[1]
	}
	*s.all = append(*s.all, c)
}

func (s *subjectTree) fail(command, what string, err error) {
	*s.all = append(*s.all, comparison{tree: s.Name, engine: s.library.Name, command: command, what: what, failure: err.Error()})
}

// ask runs getio as a process of its own, since a library may end it, and reads what it prints.
func ask(args ...string) (*record.Set, []byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("getio", args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, nil, fmt.Errorf("%w: %.200s", err, lines[len(lines)-1])
	}
	var set record.Set
	out := stdout.Bytes()
	return &set, out, set.Read(args[0], bytes.NewReader(out))
}

// truthOf counts the reads of a cache like that of a record, once.
func (s *subjectTree) truthOf(t *testing.T, c record.Cache) truth.Figure {
	t.Helper()
	if f, known := s.truths[c.Bytes]; known {
		return f
	}
	r, err := s.library.Open(s.dir, truth.Cache{Bytes: c.Bytes, Reserved: c.ReservedBytes, Shards: c.Shards})
	require.NoError(t, err)
	f, err := truth.Measure(r, uint64(c.Bytes), truthPrecision)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	s.truths[c.Bytes] = f
	return f
}

func cacheName(bytes int64) string { return fmt.Sprintf("%d KiB", bytes>>10) }

// measure compares default runs, one for each cache, and returns their records.
func (s *subjectTree) measure(t *testing.T, command string, caches []int64, seed int) (results []*record.Result) {
	t.Helper()
	for _, cache := range caches {
		args := []string{command, s.dir, "--cache", fmt.Sprint(cache, "B"), "--seed", strconv.Itoa(seed), "--json"}
		if command == "sweep" {
			args = append(args, "--out", s.dir+".sweep.jsonl")
		}
		set, _, err := ask(args...)
		if err != nil {
			s.fail(command, cacheName(cache), err)
			continue
		}
		for _, r := range set.Results {
			s.add(command, cacheName(cache), s.truthOf(t, r.Cache), r.IOsPerGet.Mean, r.IOsPerGet.CI95)
			results = append(results, r)
		}
	}
	return results
}

// intervalOf returns the interval of a standard error.
func intervalOf(mean float64, standardError *float64) *[2]float64 {
	if standardError == nil {
		return nil
	}
	const normal = 1.96
	return &[2]float64{mean - normal**standardError, mean + normal**standardError}
}

// predicted compares predictions for the caches of the measured results. Those for a cache below IP1 are left out if
// so wanted.
func (s *subjectTree) predicted(t *testing.T, command string, measured []*record.Result, aboveIP1 bool, args ...string) {
	t.Helper()
	for _, r := range measured {
		if aboveIP1 && r.Cache.Phase < 2 {
			continue
		}
		set, _, err := ask(append(args, "--cache", fmt.Sprint(r.Cache.Bytes, "B"), "--json")...)
		if err != nil {
			s.fail(command, cacheName(r.Cache.Bytes), err)
			continue
		}
		for _, p := range set.Predictions {
			mean := *p.IOsPerGet.Window
			s.add(command, cacheName(r.Cache.Bytes), s.truthOf(t, r.Cache), mean, intervalOf(mean, p.IOsPerGet.Error))
		}
	}
}

// advise compares the figure for the cache that the database has, for which each measured one is given.
func (s *subjectTree) advise(t *testing.T, measured []*record.Result) {
	t.Helper()
	for _, r := range measured {
		_, out, err := ask("advise", s.dir, "--cache", fmt.Sprint(r.Cache.Bytes, "B"), "--json")
		var answer record.Advice
		if err == nil {
			err = json.Unmarshal(out, &answer)
		}
		if err != nil {
			s.fail("advise", cacheName(r.Cache.Bytes), err)
			continue
		}
		for _, c := range answer.Caches {
			if !slices.Contains(c.Reasons, record.ReasonPresent) {
				continue
			}
			assert.Equal(t, r.Cache.Bytes, c.Cache.Bytes)
			var interval *[2]float64
			if e := c.IOsPerGet.Error; e != nil {
				interval = &[2]float64{c.IOsPerGet.Predicted * (1 - *e), c.IOsPerGet.Predicted * (1 + *e)}
			}
			s.add("advise", cacheName(r.Cache.Bytes), s.truthOf(t, r.Cache), c.IOsPerGet.Predicted, interval)
		}
	}
}

// categories compares the keys of each category with those that the library's iterator returns.
func (s *subjectTree) categories(t *testing.T) {
	t.Helper()
	r, err := s.library.Open(s.dir, truth.Cache{Bytes: 1 << 20, Reserved: 0, Shards: s.someShards()})
	require.NoError(t, err)
	entries, err := r.Entries()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	counts := map[string]int64{allCategories: int64(len(entries))}
	for _, e := range entries {
		if name, known := categories[fmt.Sprintf("%c%d", e.Key[0], len(e.Key))]; known && s.Name == "clustered" {
			counts[name]++
		}
	}
	_, out, err := ask("inspect", s.dir, "--categories", "--sample", "100", "--json")
	var census record.Categories
	if err == nil {
		err = json.Unmarshal(out, &census)
	}
	if err != nil {
		s.fail("categories", "", err)
		return
	}
	census.Categories[allCategories] = census.Total
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		tally, count := census.Categories[name], counts[name]
		var interval *[2]float64
		if half := tally.KeysHalfWidth(); half != nil {
			interval = &[2]float64{float64(tally.Keys) - *half, float64(tally.Keys) + *half}
		}
		s.add("categories", name, truth.Figure{Mean: float64(count)}, float64(tally.Keys), interval)
	}
}

// someShards is a number of shards that the library makes.
func (s *subjectTree) someShards() int {
	if strings.HasPrefix(s.library.Name, "pebble") {
		return 4
	}
	return 1
}

// categories are those of the clustered tree, by prefix and length of their keys (go-ethereum: core/rawdb/schema.go).
var categories = map[string]string{
	"a33": "Account snapshot", "o65": "Storage snapshot", "h41": "Headers", "H33": "Block hash->number", "l33": "Transaction index",
}

const allCategories = "all"

// gate compares the rise between two runs that differ in nothing but the seed, which is none.
func (s *subjectTree) gate(t *testing.T, base, side []*record.Result) {
	t.Helper()
	write := func(name string, results []*record.Result) string {
		path := s.dir + name
		var lines bytes.Buffer
		for _, r := range results {
			require.NoError(t, json.NewEncoder(&lines).Encode(r))
		}
		require.NoError(t, os.WriteFile(path, lines.Bytes(), 0o644))
		return path
	}
	out, err := exec.Command("getio", "gate", "--baseline", write(".base.jsonl", base), write(".new.jsonl", side), "--json").Output()
	if _, exited := err.(*exec.ExitError); !exited && err != nil {
		s.fail("gate", "", err)
		return
	}
	for lines := json.NewDecoder(bytes.NewReader(out)); lines.More(); {
		var line record.Gate
		require.NoError(t, lines.Decode(&line))
		for _, f := range line.Figures {
			if f.Metric == record.MetricIOs {
				s.add("gate", line.Setting, truth.Figure{}, f.Rise, &f.CI95)
			}
		}
	}
}

// compareAll compares all figures of the tree.
func (s *subjectTree) compareAll(t *testing.T) {
	t.Helper()
	caches := s.CachesOf()
	base := s.measure(t, "measure", caches, 1)
	if s.Unread {
		return
	}
	side := s.measure(t, "sweep", caches, 2)
	s.predicted(t, "curve", base, false, "curve", s.dir)
	shape := s.dir + ".shape.json"
	if _, _, err := ask("inspect", s.dir, "--shape", shape); err != nil {
		s.fail("predict", "", err)
	} else {
		s.predicted(t, "predict", base, true, "predict", "--shape", shape)
	}
	s.advise(t, base)
	s.categories(t)
	if len(base) > 0 && len(side) > 0 {
		s.gate(t, base, side)
	}
}

// written writes the tree with the library.
func written(t *testing.T, l truth.Library, tree truth.Tree, all *[]comparison) *subjectTree {
	t.Helper()
	if l.Name == "rocksdb" && rocksdb.Missing {
		t.Skip("built without RocksDB")
	}
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, l.Write(dir, tree))
	return &subjectTree{Tree: tree, library: l, dir: dir, all: all, truths: map[int64]truth.Figure{}}
}

// inShort is the tree that is measured without GETIO_TRUTH.
const inShort = "written-once"

// TestTruth compares getio's figures on databases as people have them with what the libraries alone read of them.
// Without GETIO_TRUTH, it measures one tree with each library.
func TestTruth(t *testing.T) {
	path := os.Getenv(truthEnv)
	var all []comparison
	if path == "" {
		for _, l := range libraries {
			t.Run(l.Name, func(t *testing.T) {
				for _, tree := range truth.Trees(20_000) {
					if tree.Name == inShort {
						s := written(t, l, tree, &all)
						s.measure(t, "measure", tree.CachesOf()[:1], 1)
					}
				}
			})
		}
		requireTrue(t, all)
		return
	}
	for _, tree := range truth.Trees(int(fromEnv(t, truthEnv+"_KEYS", 100_000))) {
		for _, l := range libraries {
			if !l.Has(tree) {
				continue
			}
			t.Run(tree.Name+"/"+l.Name, func(t *testing.T) {
				first := len(all)
				written(t, l, tree, &all).compareAll(t)
				for _, c := range all[first:] {
					t.Log(&c)
				}
			})
		}
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	require.NoError(t, w.Write(comparisonColumns))
	for _, c := range all {
		require.NoError(t, w.Write(c.row()))
	}
	w.Flush()
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
	requireTrue(t, all)
}

// requireTrue fails for figures that are not what docs/method.md says.
func requireTrue(t *testing.T, all []comparison) {
	t.Helper()
	within, intervals := map[string]int{}, map[string]int{}
	for _, c := range all {
		assert.True(t, c.holds(), "%s", &c)
		kind := c.command
		if kind == "measure" || kind == "sweep" || kind == "curve" {
			kind = "measure, sweep and curve"
		}
		intervals[kind]++
		if c.within() {
			within[kind]++
		}
	}
	for kind, n := range intervals {
		t.Logf("%s: %d of %d intervals hold the truth", kind, within[kind], n)
		assert.GreaterOrEqual(t, float64(within[kind]), leastWithin*float64(n), kind)
	}
}
