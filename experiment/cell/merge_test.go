package cell

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/record"
)

// made is a record of a cell, as Keep writes it.
func made(number, cells, second int, change ...func(*record.Result)) *record.Result {
	r := &record.Result{
		Schema: record.ResultSchema, Time: time.Unix(int64(second), 0).UTC(),
		Cell:   &record.PlannedCell{Plan: "plan", Experiment: Sweep, Cell: number, Cells: cells, Getio: "getio", Dataset: "dataset"},
		Checks: readpath.Checks{{Name: "reads", OK: true}},
	}
	for _, f := range change {
		f(r)
	}
	return r
}

// put writes the records of a run of a cell to a file of any name.
func put[R any](t *testing.T, path string, records ...R) []byte {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	var text []byte
	for _, r := range records {
		line, err := json.Marshal(r)
		require.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	require.NoError(t, os.WriteFile(path, text, 0o666))
	return text
}

// TestMergeAnySubset merges any subset of cells, run any number of times, in files of any order, and
// compares the outcome with a model: every cell once, as its first run left it, or the missing cells by
// number.
func TestMergeAnySubset(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	complete := 0
	for trial := range 300 {
		dir := Directory(filepath.Join(t.TempDir(), strconv.Itoa(trial)))
		cells := 1 + random.IntN(6)
		firsts, earliest := make([][]byte, cells), make([]int, cells)
		for n := range cells {
			runs := random.IntN(4)
			if random.IntN(4) > 0 {
				runs = max(runs, 1)
			}
			for run := range runs {
				second := 1 + random.IntN(1000)*4 + run // no two runs end at once
				records := []*record.Result{made(n, cells, second), made(n, cells, second+5000)}
				name := fmt.Sprintf("%c/cell-%d-%d.jsonl", 'a'+random.IntN(3), random.IntN(1e9), run)
				if run == 0 && random.IntN(2) == 0 {
					name = filepath.Base(dir.Path(n))
				}
				text := put(t, filepath.Join(string(dir), name), records[:1+random.IntN(2)]...)
				if firsts[n] == nil || second < earliest[n] {
					firsts[n], earliest[n] = text, second
				}
			}
		}
		put[any](t, filepath.Join(string(dir), ".getio-0123")) // as a killed run leaves it
		m, err := dir.Merge()
		var missing []string
		for n, text := range firsts {
			if text == nil {
				missing = append(missing, strconv.Itoa(n))
			}
		}
		switch {
		case len(missing) == cells:
			assert.ErrorContains(t, err, "has no records of cells")
		case len(missing) > 0:
			require.Error(t, err)
			assert.Contains(t, err.Error(), fmt.Sprintf("%d of %d cells are missing", len(missing), cells))
			assert.Equal(t, missing, numbers(t, err.Error()[strings.LastIndex(err.Error(), "run ")+4:]))
		default:
			require.NoError(t, err)
			assert.Equal(t, string(slices.Concat(firsts...)), string(slices.Concat(m.Lines...)))
			complete++
		}
	}
	assert.Greater(t, complete, 50)
}

// numbers reads numbers and ranges of them.
func numbers(t *testing.T, list string) (all []string) {
	for part := range strings.SplitSeq(list, ", ") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		require.NoError(t, errors.Join(errA, errB), "%q", list)
		for n := a; n <= b; n++ {
			all = append(all, strconv.Itoa(n))
		}
	}
	return all
}

// TestMergeRefuses puts one file among others that does not belong to them.
func TestMergeRefuses(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*record.Result)
	}{
		{"of different plans", func(r *record.Result) { r.Cell.Plan = "other" }},
		{"made by different getios", func(r *record.Result) { r.Cell.Getio = "other" }},
		{"of different datasets", func(r *record.Result) { r.Cell.Dataset = "other" }},
		{"self-checks failed (reads: 1 / 2): run cell 1 again", func(r *record.Result) {
			r.Checks[0] = readpath.Check{Name: "reads", Detail: "1 / 2"}
		}},
		{"is of cell 7 of 2", func(r *record.Result) { r.Cell.Cell = 7 }},
		{"is of cell -1 of 2", func(r *record.Result) { r.Cell.Cell = -1 }},
		{"is not the records of a cell", func(r *record.Result) { r.Cell = nil }},
	} {
		dir := Directory(t.TempDir())
		put(t, dir.Path(0), made(0, 2, 1))
		put(t, dir.Path(1), made(1, 2, 2, c.change))
		_, err := dir.Merge()
		assert.ErrorContains(t, err, c.want)
	}
	dir := Directory(t.TempDir())
	put(t, dir.Path(0), made(0, 2, 1), made(1, 2, 1))
	_, err := dir.Merge()
	assert.ErrorContains(t, err, "has records of several cells")
	whole := put(t, dir.Path(0), made(0, 1, 1))
	require.NoError(t, os.WriteFile(dir.Path(0), whole[:len(whole)-1], 0o666))
	_, err = dir.Merge()
	assert.ErrorContains(t, err, "is not the records of a cell")
	put[any](t, dir.Path(0))
	_, err = dir.Merge()
	assert.ErrorContains(t, err, "is empty")
	_, err = Directory(filepath.Join(t.TempDir(), "none")).Merge()
	assert.ErrorContains(t, err, "name the directory that 'getio run' wrote to")
}

// TestMergeRefusesOtherAdapters merges cells of state databases. Each store has one adapter, whatever else was
// run in between.
func TestMergeRefusesOtherAdapters(t *testing.T) {
	state := func(number int, label, adapter, plan string) *record.State {
		return &record.State{
			Schema: record.StateSchema, Label: label, Checks: readpath.Checks{{Name: "group", OK: true}},
			Cell: &record.PlannedCell{Plan: plan, Experiment: CompareState, Cell: number, Cells: 3, Getio: "getio", Adapter: adapter},
		}
	}
	dir := Directory(t.TempDir())
	put(t, dir.Path(0), state(0, "nomt", "A", "plan"))
	put(t, dir.Path(1), state(1, "firewood", "B", "plan"))
	last := put(t, dir.Path(2), state(2, "nomt", "A", "plan"))
	m, err := dir.Merge()
	require.NoError(t, err)
	assert.Equal(t, string(last), string(m.Lines[2]))
	for _, plan := range []string{"plan", "of another adapter"} {
		put(t, dir.Path(2), state(2, "nomt", "C", plan))
		_, err = dir.Merge()
		assert.ErrorContains(t, err, "cell-0.jsonl and "+dir.Path(2)+" are made with different adapters under the name nomt and do not belong together")
	}
}

// TestHas: a cell is there if its records are complete, of the plan, and hold their checks.
func TestHas(t *testing.T) {
	dir, p := Directory(t.TempDir()), &Plan{ID: "plan"}
	has, err := dir.Has(p, 1)
	require.NoError(t, err)
	assert.False(t, has)
	require.NoError(t, Keep(dir, 1, []*record.Result{made(1, 2, 1)}))
	has, err = dir.Has(p, 1)
	require.NoError(t, err)
	assert.True(t, has)
	_, err = dir.Has(&Plan{ID: "other"}, 1)
	assert.ErrorContains(t, err, "is of another plan")
	require.NoError(t, Keep(dir, 1, []*record.Result{made(1, 2, 1, func(r *record.Result) { r.Checks[0].OK = false })}))
	has, err = dir.Has(p, 1)
	require.NoError(t, err)
	assert.False(t, has, "a run whose checks failed is made again")
}
