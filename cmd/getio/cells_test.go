package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"getio/statedb/counter"
)

// unlike are the fields in which two runs of a cell differ: times, the machine, where the dataset lay, what
// the page cache happened to hold, and the cell itself, which only planned runs have.
var unlike = []string{
	"time", "gets_per_second", "cpu_us_per_get", "environment", "dataset.path", "device.bytes_per_get", "device.reads_per_get", "cell",
}

// unlikeAnywhere are the names of further such fields: times, and what the kernel counts of a state database
// besides its reads.
var unlikeAnywhere = []string{"seconds", "cpu_seconds", "anonymous_bytes", "memory_bytes", "written_bytes"}

// figures returns the values of a record by path, without those that may differ.
func figures(line []byte) (map[string]any, error) {
	var fields map[string]any
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	all := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		if slices.Contains(unlike, path) || slices.Contains(unlikeAnywhere, path[strings.LastIndexByte(path, '.')+1:]) {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				walk(strings.TrimPrefix(path+"."+name, "."), child)
			}
		case []any:
			for i, child := range v {
				walk(path+"."+strconv.Itoa(i), child)
			}
		default:
			all[path] = v
		}
	}
	walk("", fields)
	return all, nil
}

// differentFigures lists the fields in which the records of two files differ.
func differentFigures(a, b []byte) (different []string, err error) {
	linesA, linesB := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
	if len(linesA) != len(linesB) || len(linesA) < 2 {
		return nil, fmt.Errorf("%d and %d records", len(linesA)-1, len(linesB)-1)
	}
	for i := range linesA[:len(linesA)-1] {
		x, errX := figures(linesA[i])
		y, errY := figures(linesB[i])
		if errX != nil || errY != nil {
			return nil, fmt.Errorf("record %d: %v, %v", i+1, errX, errY)
		}
		for path := range x {
			if !reflect.DeepEqual(x[path], y[path]) {
				different = append(different, fmt.Sprintf("record %d: %s is %v and %v", i+1, path, x[path], y[path]))
			}
		}
		for path := range y {
			if _, too := x[path]; !too {
				different = append(different, fmt.Sprintf("record %d: only one has %s", i+1, path))
			}
		}
	}
	return different, nil
}

func scriptSameFigures(ts *testscript.TestScript, neg bool, args []string) {
	different, err := differentFigures([]byte(ts.ReadFile(args[0])), []byte(ts.ReadFile(args[1])))
	ts.Check(err)
	if neg != (len(different) > 0) {
		ts.Fatalf("%s", strings.Join(different, "\n"))
	}
}

// TestCellsKilledAtAnyMoment kills runs of cells and merges at any moment. They leave no half-written
// record. Run again, every cell counts once, and the merged records equal those of the whole experiment.
func TestCellsKilledAtAnyMoment(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	kills := int(fromEnv(t, killsEnv, 4))
	seed := fromEnv(t, killSeedEnv, uint64(time.Now().UnixNano()))
	t.Logf("%s=%d %s=%d", killsEnv, kills, killSeedEnv, seed)
	random := rand.New(rand.NewPCG(seed, 1))
	t.Run("sweep", func(t *testing.T) {
		dir := t.TempDir()
		v := filepath.Join(dir, "v")
		require.NoError(t, getio("load", v, "--virtual", "--keys", "50k"))
		killCells(t, random, kills, dir, "sweep", v, "--workers", "1", "--gets", "5k", "--warmup", "5k", "--cache", "512KiB,1MiB,2MiB")
	})
	t.Run("compare-state", func(t *testing.T) {
		stores := []string{"compare-state", "--keys", "1000,1200,1400", "--engines", "pebblev2", "--lookups", "10"}
		if counter.Allowed() {
			if !canCount() {
				t.Skip("no private disk can be made here")
			}
			stores = append(stores, "--size", "256MiB", "--budgets", "none")
		}
		state := t.TempDir()
		t.Setenv(stateEnv, state)
		defer takeBack(state)
		killCells(t, random, kills, t.TempDir(), stores...)
	})
}

// killCells plans an experiment that writes one record for each cell, and kills runs of its cells and merges.
func killCells(t *testing.T, random *rand.Rand, kills int, dir string, experiment ...string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, getio(append([]string{"plan"}, append(experiment, "-o", at("plan.jsonl"))...)...))
	require.NoError(t, getio(append(experiment, "-o", at("whole.jsonl"))...))
	plan, err := os.ReadFile(at("plan.jsonl"))
	require.NoError(t, err)
	cells := bytes.Count(plan, []byte("\n"))
	require.GreaterOrEqual(t, cells, 3)

	run := func(n int) []string {
		return []string{"run", at("plan.jsonl"), "--cell", strconv.Itoa(n), "--data", dir, "--disk", dir, "-o", at("cells")}
	}
	merge := []string{"merge", at("cells"), "-o", at("all.jsonl")}
	begun := time.Now()
	require.NoError(t, getio(run(0)...))
	took := time.Since(begun)
	killed := 0
	for range kills {
		n := random.IntN(cells)
		require.NoError(t, os.RemoveAll(at(fmt.Sprintf("cells/cell-%d.jsonl", n))))
		if killedAfter(t, time.Duration(random.Int64N(int64(took))), run(n)) {
			killed++
		}
		requireWhole(t, at("cells"))
	}
	for n := range cells {
		require.NoError(t, getio(run(n)...))
	}
	for range kills {
		if killedAfter(t, time.Duration(random.Int64N(int64(took/4))), merge) {
			killed++
		}
		requireWhole(t, dir)
	}
	t.Logf("%d of %d were killed before they ended", killed, 2*kills)
	require.NoError(t, getio(merge...))
	all, err := os.ReadFile(at("all.jsonl"))
	require.NoError(t, err)
	whole, err := os.ReadFile(at("whole.jsonl"))
	require.NoError(t, err)
	different, err := differentFigures(all, whole)
	require.NoError(t, err)
	require.Empty(t, different)
}

// killedAfter runs getio and kills it after some time. It is false if it ended before, which it must do
// with success.
func killedAfter(t *testing.T, d time.Duration, args []string) bool {
	t.Helper()
	cmd := exec.Command("getio", args...)
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	var err error
	go func() {
		err = cmd.Wait()
		close(ended)
	}()
	after(d)("", ended)
	cmd.Process.Kill()
	<-ended
	if err == nil {
		return false
	}
	require.Equal(t, -1, cmd.ProcessState.ExitCode(), "it ended by itself: %v", err)
	return true
}

// requireWhole requires that all files of records in a directory are of whole lines, one of each cell.
func requireWhole(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := bytes.SplitAfter(text, []byte("\n"))
		require.Empty(t, lines[len(lines)-1], path)
		for _, line := range lines[:len(lines)-1] {
			require.True(t, json.Valid(line), path)
		}
		if strings.HasPrefix(filepath.Base(path), "cell-") {
			require.Len(t, lines, 2, path)
		}
	}
}
