package cell

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/measure"
	"getio/record"
	"getio/statedb"
	"getio/system/device"
	"getio/workload"
	"getio/workload/popularity"
)

// examples are two cells in which every field is set that a sweep or a comparison can have.
func examples() []Cell {
	cells := make([]Cell, 2)
	for i := range cells {
		cells[i] = Cell{
			Experiment: Compare, CacheBytes: int64(1+i) << 20, Round: 1 + i, Rounds: 2,
			Sides: []Side{{
				Label: "A", Engine: "pebblev1", EngineVersion: "v1.1.5", Preset: "geth", Options: []string{"max_open_files=9"}, LastLevelFilters: true, Shards: 4,
				Dataset: Dataset{Name: "d", Identity: "i", Checksum: "c", Recipe: &Recipe{Shape: "small", Keys: 7, Values: "pool32", ValueSize: 1, Seed: 2, Build: "virtual", Engine: "e", Preset: "p", Options: []string{"o"}}},
			}},
			Workload: workload.Workload{
				Keys: workload.Keys{
					Seed: 3, Absent: 0.25, Popularity: popularity.Popularity{Zipf: 0.99, Hotset: popularity.Hotset{Keys: 0.1, Gets: 0.9}},
					Files: workload.Files{KeysFile: "k", KeysSHA256: "s", Trace: "t", TraceSHA256: "u"},
				},
				Operation: workload.Operation{Kind: workload.Scan, Records: 5}, Gets: 1000, Warmup: workload.WarmupGets(10), Workers: 2, Rate: 6, MoreRuns: 3,
			},
			Counted:   measure.Counted{ExactSplit: true, Distribution: true, Latency: true},
			Device:    Device{PageCache: device.Bypass, IOPS: 100, ReadLatency: time.Millisecond},
			Predicted: &record.CellNeeds{CPUSeconds: [2]float64{1, 2}, Hours: [2]float64{3, 4}, Processors: 2, MemoryBytes: 5, DiskBytes: 6, Basis: "b"},
		}
	}
	return cells
}

// stateExamples are two cells of compare-state in which every field is set.
func stateExamples() []Cell {
	cells := make([]Cell, 2)
	for i := range cells {
		cells[i] = Cell{
			Experiment: CompareState,
			State: &State{
				Label: "mine:small", Command: []string{"./adapter", "--small"}, Options: []string{"cache=1"},
				Adapter: statedb.Adapter{
					StateStore: record.StateStore{
						Name: "mine", Version: "1", Patches: []string{"p"}, Configuration: "small", KeyHash: "sha256",
						Caches: []record.StateCache{{Name: "c", Least: 5, Stays: true}},
					},
					MemoryPerKey: 32, Files: []string{"f"},
				},
				Question: statedb.Question{
					Keys: uint64(1+i) * 1000, Values: "random", ValueSize: 110, Seed: 3, Lookups: 100,
					Shares: []float64{0.01, 0.05}, Overwrite: []float64{0.1, 1}, Counted: record.CountedOutside,
				},
				DiskBytes: 7, Timeout: time.Minute,
			},
			Predicted: &record.CellNeeds{MemoryBytes: 5, DiskBytes: 6},
		}
	}
	return cells
}

// TestPlanRoundTrip writes a plan and reads the same one.
func TestPlanRoundTrip(t *testing.T) {
	t.Run("databases", func(t *testing.T) { testRoundTrip(t, examples()) })
	t.Run("stores", func(t *testing.T) { testRoundTrip(t, stateExamples()) })
}

func testRoundTrip(t *testing.T, cells []Cell) {
	p, err := NewPlan(cells)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plan.jsonl")
	require.NoError(t, p.Write(path))
	read, err := ReadPlan(path)
	require.NoError(t, err)
	assert.Equal(t, p, read)
	require.NoError(t, read.RequireThisGetio())
}

// TestPlanIdentity changes every field of a cell in turn. Each is part of the plan's identity but those that
// are predicted.
func TestPlanIdentity(t *testing.T) {
	t.Run("databases", func(t *testing.T) { testIdentity(t, examples(), 50) })
	t.Run("stores", func(t *testing.T) { testIdentity(t, stateExamples(), 30) })
}

func testIdentity(t *testing.T, cells []Cell, least int) {
	p, err := NewPlan(cells)
	require.NoError(t, err)
	text, err := json.Marshal(p.Cells[1])
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	leaves := 0
	eachLeaf(fields, "", func(path string, set func(any), was any) {
		leaves++
		set(other(path, was))
		changed, err := json.Marshal(fields)
		require.NoError(t, err)
		set(was)
		q := &Plan{Cells: []Cell{p.Cells[0], {}}}
		if !assert.NoError(t, json.Unmarshal(changed, &q.Cells[1]), path) {
			return
		}
		require.NoError(t, q.identify())
		assert.Equal(t, strings.HasPrefix(path, ".predicted"), q.ID == p.ID, path)
	})
	assert.GreaterOrEqual(t, leaves, least)
}

// eachLeaf calls f with the path, a setter and the value of every leaf.
func eachLeaf(node any, path string, f func(path string, set func(any), was any)) {
	visit := func(path string, child any, set func(any)) {
		switch child.(type) {
		case map[string]any, []any:
			eachLeaf(child, path, f)
		default:
			f(path, set, child)
		}
	}
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			visit(path+"."+name, child, func(v any) { node[name] = v })
		}
	case []any:
		for i, child := range node {
			visit(path, child, func(v any) { node[i] = v })
		}
	}
}

// other returns another value of the same kind.
func other(path string, was any) any {
	switch was := was.(type) {
	case float64:
		return was + 1
	case bool:
		return !was
	case string:
		if strings.HasSuffix(path, ".warmup") {
			return "11"
		}
		return was + "x"
	}
	return nil
}

// TestReadPlanRefuses reads plans that were cut short or changed.
func TestReadPlanRefuses(t *testing.T) {
	p, err := NewPlan(examples())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plan.jsonl")
	require.NoError(t, p.Write(path))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	replaced := func(old, new string) []byte { return bytes.Replace(whole, []byte(old), []byte(new), 1) }
	for want, text := range map[string][]byte{
		"is not a complete plan, with 0 cells":               nil,
		"is not a complete plan, with 1 cells":               lines[0],
		"line 2 cannot be read":                              whole[:len(whole)-20],
		"line 1 is cell 1, not 0":                            lines[1],
		"line 2 is cell 0, not 1":                            append(bytes.Clone(lines[0]), lines[0]...),
		`line 1 has the schema "getio.result/1"`:             replaced(Schema, "getio.result/1"),
		`line 1 is of the unknown experiment "measure"`:      replaced(`"compare"`, `"measure"`),
		"line 2 belongs to another plan than the first line": replaced(p.Cells[0].Getio, "other"),
		"line 1 is of round 3 of 2":                          replaced(`"round":1`, `"round":3`),
		"line 1 does not name its database and engine":       replaced(`"engine":"pebblev1"`, `"engine":""`),
		"unknown field":                                      replaced(`"round":1`, `"round":1,"also":1`),
		"invalid warm-up":                                    replaced(`"warmup":"10"`, `"warmup":"ten"`),
		"make it again with 'getio plan'":                    []byte("\n"),
	} {
		require.NoError(t, os.WriteFile(path, text, 0o666))
		_, err := ReadPlan(path)
		assert.ErrorContains(t, err, want)
	}
	p.Cells[0].Sides = nil
	require.NoError(t, p.Write(path))
	_, err = ReadPlan(path)
	assert.ErrorContains(t, err, "line 1 has 0 databases")
	_, err = ReadPlan(filepath.Join(t.TempDir(), "none"))
	assert.ErrorContains(t, err, "name a file that 'getio plan' wrote")
	p.Cells[0].Getio = "other"
	assert.ErrorContains(t, p.RequireThisGetio(), "the plan was made by another getio (other)")
}

// TestReadPlanRefusesStates reads cells of compare-state that were changed.
func TestReadPlanRefusesStates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.jsonl")
	for want, change := range map[string]func(c *Cell){
		"line 1 is of \"compare-state\" and has what another experiment measures": func(c *Cell) { c.State = nil },
		"line 1 is of \"sweep\" and has what another experiment measures":         func(c *Cell) { c.Experiment = Sweep },
		"line 1 does not name its store and adapter":                              func(c *Cell) { c.State.Label = "" },
		"line 1 does not say how many keys and lookups":                           func(c *Cell) { c.State.Keys = 0 },
		"line 1 counts reads \"nowhere\"":                                         func(c *Cell) { c.State.Counted = "nowhere" },
	} {
		cells := stateExamples()[:1]
		change(&cells[0])
		p, err := NewPlan(cells)
		require.NoError(t, err)
		require.NoError(t, p.Write(path))
		_, err = ReadPlan(path)
		assert.ErrorContains(t, err, want)
	}
}

// TestNumber takes the cell from --cell, or from one variable of a scheduler.
func TestNumber(t *testing.T) {
	p := &Plan{Cells: make([]Cell, 8)}
	for _, c := range []struct {
		chosen      int
		slurm, kube string
		number      int
		from, err   string
	}{
		{3, "5", "6", 3, "", ""},
		{-1, "5", "", 5, "SLURM_ARRAY_TASK_ID", ""},
		{-1, "", "0", 0, "JOB_COMPLETION_INDEX", ""},
		{-1, "", "", 0, "", "run needs the number of a cell, from 0 to 7"},
		{-1, "1", "1", 0, "", "are both set"},
		{-1, "x", "", 0, "", "which is not the number of a cell"},
		{8, "", "", 8, "", "--cell is 8, and the plan has cells 0 to 7"},
		{-1, "", "-1", -1, "JOB_COMPLETION_INDEX", "JOB_COMPLETION_INDEX is -1"},
	} {
		number, from, err := p.Number(c.chosen, func(name string) string {
			return map[string]string{"SLURM_ARRAY_TASK_ID": c.slurm, "JOB_COMPLETION_INDEX": c.kube}[name]
		})
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.number, number)
		assert.Equal(t, c.from, from)
	}
}

// TestWorkloadIsReadBack: a workload is the same after it was written to a plan.
func TestWorkloadIsReadBack(t *testing.T) {
	fractions, err := workload.ParseWarmup("0.07%")
	require.NoError(t, err)
	for _, warmup := range []workload.Warmup{workload.AutoWarmup, workload.WarmupGets(7), fractions, workload.WarmupOneIn(2000)} {
		w := examples()[0].Workload
		w.Warmup = warmup
		text, err := json.Marshal(w)
		require.NoError(t, err)
		var read workload.Workload
		require.NoError(t, json.Unmarshal(text, &read))
		assert.True(t, w == read, "%s", text)
	}
}
