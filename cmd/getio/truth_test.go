package main

import (
	"bytes"
	"cmp"
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

	"getio/engine"
	"getio/engine/rocksdb"
	"getio/internal/truth"
	"getio/internal/truth/goleveldb"
	"getio/internal/truth/pebblev1"
	"getio/internal/truth/pebblev2"
	truerocksdb "getio/internal/truth/rocksdb"
	"getio/numbers/interval"
	"getio/record"
)

// truthEnv makes TestTruth compare all figures of all trees, and write them to this file and the document.
const truthEnv = "GETIO_TRUTH"

// truthPrecision is how well the truth is known, with 95% confidence: better than the bounds below.
var truthPrecision = precision{Relative: 0.002, Absolute: 0.002}

// The bounds of results/truth.md, as a share of the truth. What is off by less than leastOff reads per Get is not off.
const (
	mostOff          = 0.01
	mostPredictedOff = 0.03
	leastOff         = 0.005
	leastWithin      = 0.93 // of all intervals
	enoughIntervals  = 40   // from which on shares are judged: of fewer, chance decides
)

// comparison is a figure of getio, and the same figure counted by the library alone.
type comparison struct {
	tree, engine, command, what string
	truth, truthHalf            float64
	figure                      float64
	low, high                   *float64 // the interval that getio states; nil without one
	failure                     string   // why there is no figure
	unread                      bool     // no Get reads a table
}

func (c *comparison) off() float64 { return c.figure - c.truth }

// near reports whether the figure is within a share of the truth. A truth that is not known so well adds its own error.
func (c *comparison) near(share float64) bool {
	most := max(share*c.truth, leastOff)
	if c.truthHalf > most {
		most = math.Hypot(most, c.truthHalf)
	}
	return c.failure == "" && math.Abs(c.off()) <= most
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
		return c.near(mostPredictedOff) || c.within() || c.unread && strings.Contains(c.failure, "has no tables yet")
	}
	return c.failure == ""
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

// engineOf names a library in comparisons: RocksDB with its version, unless it is the system's.
func engineOf(l truth.Library) string {
	if linked, ok := rocksdb.Engine.(engine.Linked); ok && l.Name == rocksdb.Engine.Name() && linked.Linked() == "static" {
		return l.Name + " " + rocksdb.Engine.Version()
	}
	return l.Name
}

// subjectTree is a tree that a library wrote.
type subjectTree struct {
	truth.Tree
	library truth.Library
	dir     string
	all     *[]comparison
	truths  map[settings]trueFigure
}

// settings are what the reads of a Get depend on besides the tree.
type settings struct {
	cache   int64
	workers int
}

func (s *subjectTree) add(command, what string, is trueFigure, figure float64, interval *[2]float64) {
	c := comparison{tree: s.Name, engine: engineOf(s.library), command: command, what: what, truth: is.Mean, truthHalf: is.Half, figure: figure, unread: s.Unread}
	if interval != nil {
		c.low, c.high = &interval[0], &interval[1]
	}
	*s.all = append(*s.all, c)
}

func (s *subjectTree) fail(command, what string, err error) {
	*s.all = append(*s.all, comparison{tree: s.Name, engine: engineOf(s.library), command: command, what: what, failure: err.Error(), unread: s.Unread})
}

// ask runs getio as a process of its own, since a library may end it, and returns what it prints.
func ask(args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("getio", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%w: %.300s", err, strings.ReplaceAll(lines[len(lines)-1], args[1], "DIR"))
	}
	return out, nil
}

// about asks about the tree, to be read with the library that wrote it.
func (s *subjectTree) about(command string, more ...string) ([]byte, error) {
	return ask(append([]string{command, s.dir, "--engine", s.library.Name}, more...)...)
}

func setOf(t *testing.T, out []byte) *record.Set {
	t.Helper()
	var set record.Set
	require.NoError(t, set.Read("output", bytes.NewReader(out)))
	return &set
}

// truthOf counts the reads of a cache like that of a record, once. Predictions are of one worker.
func (s *subjectTree) truthOf(t *testing.T, c record.Cache, workers int) trueFigure {
	t.Helper()
	of := settings{c.Bytes, workers}
	if f, known := s.truths[of]; known {
		return f
	}
	f := alone(t, s.library.Name, s.dir, c, workers, truthPrecision)
	s.truths[of] = f
	return f
}

func cacheName(bytes int64) string { return fmt.Sprintf("%d KiB", bytes>>10) }

// list writes sizes of caches as flags take them.
func list(caches []int64) string {
	var sizes []string
	for _, c := range caches {
		sizes = append(sizes, fmt.Sprint(c, "B"))
	}
	return strings.Join(sizes, ",")
}

// measure compares default runs of measure or sweep, and returns their records.
func (s *subjectTree) measure(t *testing.T, caches []int64, command string, more ...string) []*record.Result {
	t.Helper()
	out, err := s.about(command, append(more, "--cache", list(caches), "--json")...)
	if err != nil {
		s.fail(command, "", err)
		return nil
	}
	set := setOf(t, out)
	for _, r := range set.Results {
		s.add(command, cacheName(r.Cache.Bytes), s.truthOf(t, r.Cache, r.Workload.Workers), r.IOsPerGet.Mean, r.IOsPerGet.CI95)
	}
	return set.Results
}

// intervalOf returns the interval of a standard error from so many simulated shards.
func intervalOf(mean float64, standardError *float64, shards int) *[2]float64 {
	if standardError == nil {
		return nil
	}
	half := interval.Student(interval.Usual, float64(max(shards-1, 1))) * *standardError
	return &[2]float64{mean - half, mean + half}
}

// predicted compares predictions for the caches of measured results.
func (s *subjectTree) predicted(t *testing.T, measured []*record.Result, command string) {
	t.Helper()
	var caches []int64
	by := map[int64]record.Cache{}
	for _, r := range measured {
		// Below IP1, predict is not held to anything.
		if command == "curve" || r.Cache.Phase > 1 {
			caches = append(caches, r.Cache.Bytes)
			by[r.Cache.Bytes] = r.Cache
		}
	}
	if len(caches) == 0 {
		return
	}
	args := []string{command, s.dir, "--engine", s.library.Name}
	if command == "predict" {
		args = []string{command, "--shape", s.dir + ".shape.json"}
	}
	out, err := ask(append(args, "--cache", list(caches), "--json")...)
	if err != nil {
		s.fail(command, "", err)
		return
	}
	for _, p := range setOf(t, out).Predictions {
		mean, stated := *p.IOsPerGet.Window, p.IOsPerGet.CI95
		if stated == nil {
			stated = intervalOf(mean, p.IOsPerGet.Error, p.Cache.SampledShards)
		}
		if share := p.IOsPerGet.InLog; share > 0 { // it may be too high by that
			if stated == nil {
				stated = &[2]float64{mean, mean}
			}
			stated[0] -= share * mean
		}
		s.add(command, cacheName(p.Cache.Bytes), s.truthOf(t, by[p.Cache.Bytes], 1), mean, stated)
	}
}

// advise compares the figure for the cache that the database is said to have.
func (s *subjectTree) advise(t *testing.T, c record.Cache) {
	t.Helper()
	out, err := s.about("advise", "--cache", list([]int64{c.Bytes}), "--json")
	var answer record.Advice
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		s.fail("advise", "", err)
		return
	}
	for _, a := range answer.Caches {
		if !slices.Contains(a.Reasons, record.ReasonPresent) {
			continue
		}
		s.add("advise", cacheName(a.Cache.Bytes), s.truthOf(t, c, 1), a.IOsPerGet.Known(), a.IOsPerGet.MeasuredCI95)
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
		if name, known := categories[fmt.Sprintf("%c%d", e.Key[0], len(e.Key))]; known {
			counts[name]++
		}
	}
	out, err := s.about("inspect", "--categories", "--sample", "100", "--json")
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
		s.add("categories", name, trueFigure{Mean: float64(count)}, float64(tally.Keys), interval)
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

// gate compares two runs that differ in nothing but the seed: it must find no rise.
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
				s.add("gate", cacheName(base[0].Cache.Bytes), trueFigure{}, f.Rise, &f.CI95)
			}
		}
	}
}

// compareAll compares all figures of the tree.
func (s *subjectTree) compareAll(t *testing.T) {
	t.Helper()
	caches := s.CachesOf()
	swept := s.measure(t, caches, "sweep", "--out", s.dir+".sweep.jsonl")
	measured := s.measure(t, caches[:1], "measure", "--seed", "2")
	if s.Name == "clustered" {
		s.categories(t)
	}
	if len(swept) == 0 || len(measured) == 0 {
		return
	}
	s.predicted(t, swept, "curve")
	if _, err := s.about("inspect", "--shape", s.dir+".shape.json"); err != nil {
		s.fail("predict", "", err)
	} else {
		s.predicted(t, swept, "predict")
	}
	s.advise(t, swept[len(swept)-1].Cache)
	s.gate(t, swept[:1], measured)
}

// writtenTree writes the tree with the library, and returns its directory.
func writtenTree(t *testing.T, l truth.Library, tree truth.Tree) string {
	t.Helper()
	if l.Name == "rocksdb" && rocksdb.Missing {
		t.Skip("built without RocksDB")
	}
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, l.Write(dir, tree))
	return dir
}

func written(t *testing.T, l truth.Library, tree truth.Tree, all *[]comparison) *subjectTree {
	return &subjectTree{Tree: tree, library: l, dir: writtenTree(t, l, tree), all: all, truths: map[settings]trueFigure{}}
}

// inShort is the tree that is measured without GETIO_TRUTH.
const inShort = "overwritten"

// TestTruth compares getio's figures on databases as people have them with what the libraries alone read of them.
// Without GETIO_TRUTH, it measures one tree with each library. With it, the file gets the figures of each tree that is
// run, in place of those that it had of this tree.
func TestTruth(t *testing.T) {
	path := os.Getenv(truthEnv)
	var all []comparison
	if path == "" {
		for _, tree := range truth.Trees(10_000) {
			if tree.Name != inShort {
				continue
			}
			for _, l := range libraries {
				t.Run(l.Name, func(t *testing.T) {
					s := written(t, l, tree, &all)
					s.measure(t, tree.CachesOf()[:1], "measure", "--gets", "50k", "--warmup", "20k")
				})
			}
		}
		requireTrue(t, all)
		return
	}
	for _, tree := range truth.Trees(int(fromEnv(t, truthEnv+"_KEYS", 30_000))) {
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
				writeComparisons(t, path, all[first:])
			})
		}
	}
	requireTrue(t, all)
}

// writeComparisons replaces those of the same tree and engine in the file, in the order of trees and libraries.
func writeComparisons(t *testing.T, path string, one []comparison) {
	t.Helper()
	all := one
	if _, err := os.Stat(path); err == nil {
		all = append(slices.DeleteFunc(readComparisons(t, path), func(c comparison) bool {
			return c.tree == one[0].tree && c.engine == one[0].engine
		}), one...)
	}
	place := func(c comparison) int {
		tree := slices.IndexFunc(truth.Trees(100), func(t truth.Tree) bool { return t.Name == c.tree })
		return tree*len(libraries) + slices.IndexFunc(libraries, func(l truth.Library) bool { return strings.HasPrefix(c.engine, l.Name) })
	}
	slices.SortStableFunc(all, func(a, b comparison) int { return cmp.Or(place(a)-place(b), strings.Compare(a.engine, b.engine)) })
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	require.NoError(t, w.Write(comparisonColumns))
	for _, c := range all {
		require.NoError(t, w.Write(c.row()))
	}
	w.Flush()
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
}

// readComparisons reads the file that TestTruth wrote.
func readComparisons(t *testing.T, path string) (all []comparison) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, comparisonColumns, rows[0])
	for _, row := range rows[1:] {
		number := func(column int) *float64 {
			if row[column] == "" {
				return nil
			}
			f, err := strconv.ParseFloat(row[column], 64)
			require.NoError(t, err)
			return &f
		}
		c := comparison{tree: row[0], engine: row[1], command: row[2], what: row[3], truth: *number(4), truthHalf: *number(5), low: number(7), high: number(8), failure: row[9]}
		if f := number(6); f != nil {
			c.figure = *f
		}
		all = append(all, c)
	}
	return all
}

// truthTable is the table of results/truth.md: for each tree, the intervals that hold the truth, and the figures that are
// off by most.
func truthTable(all []comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| tree | intervals that hold the truth | measure, sweep | curve | predict | advise |\n|---|---|---|---|---|---|\n")
	for _, tree := range truth.Trees(100) {
		intervals, within := 0, 0
		worst := map[string]*comparison{}
		for _, c := range all {
			if c.tree != tree.Name {
				continue
			}
			if c.low != nil {
				intervals++
			}
			if c.within() {
				within++
			}
			command := c.command
			if command == "sweep" {
				command = "measure"
			}
			if w := worst[command]; c.failure == "" && (w == nil || math.Abs(c.off()) > math.Abs(w.off())) {
				worst[command] = &c
			}
		}
		if intervals == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d of %d |", tree.What, within, intervals)
		for _, command := range []string{"measure", "curve", "predict", "advise"} {
			cell := "-"
			if w := worst[command]; w != nil {
				cell = fmt.Sprintf("%+.3f of %.3f, %s", w.off(), w.truth, w.engine)
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestTruthTable compares the document with the last run of TestTruth.
func TestTruthTable(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	doc, err := os.ReadFile(filepath.Join(root, "results", "truth.md"))
	require.NoError(t, err)
	results := filepath.Join(root, "results", "truth.csv")
	if _, err := os.Stat(results); os.IsNotExist(err) {
		t.Skip("make truth has not written its results yet")
	}
	table := truthTable(readComparisons(t, results))
	assert.Contains(t, string(doc), table, "results/truth.md lacks the table of results/truth.csv:\n%s", table)
}

// requireTrue fails for figures that are not what results/truth.md says.
func requireTrue(t *testing.T, all []comparison) {
	t.Helper()
	within, intervals := map[string]int{}, map[string]int{}
	for _, c := range all {
		assert.True(t, c.holds(), "%s", &c)
		kind := c.command
		switch kind {
		case "measure", "sweep", "curve":
			kind = "measure, sweep and curve"
		case "predict", "advise": // their errors are not intervals of 95%
			continue
		}
		if c.low == nil { // the sample has no key of this category
			continue
		}
		intervals[kind]++
		if c.within() {
			within[kind]++
		}
	}
	for kind, n := range intervals {
		t.Logf("%s: %d of %d intervals hold the truth", kind, within[kind], n)
		if n >= enoughIntervals {
			assert.GreaterOrEqual(t, float64(within[kind]), leastWithin*float64(n), kind)
		}
	}
}
