package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/experiment/compare"
	"getio/record"
)

// TestBenchstatComparesSides: so does the call that the guide and the help of compare
// show, with what compare writes for it: sides that differ in engine, version and options.
func TestBenchstatComparesSides(t *testing.T) {
	benchstat := buildBenchstat(t)
	var runs record.Set
	require.NoError(t, runs.ReadFile(filepath.Join(repository, "results/small.jsonl")))
	found := &compare.Findings{}
	for round := range 5 {
		for i, side := range []string{"old", "new"} {
			r := *runs.Results[0]
			r.Engine = record.Engine{Name: "of " + side, Version: side, Options: map[string]string{"block_size": side}}
			r.Dataset.Path, r.ComparisonRun = "data/"+side, &record.ComparisonRun{Side: side, Round: round + 1, Rounds: 5}
			r.IOsPerGet.Mean = 1.9 - 0.4*float64(i) + 0.001*float64(round)
			found.Results = append(found.Results, &r)
		}
	}
	path := filepath.Join(t.TempDir(), "sides.txt")
	require.NoError(t, writeBenchmarks(path, found))
	guide, err := os.ReadFile(filepath.Join(repository, "docs/guide.md"))
	require.NoError(t, err)
	for document, text := range map[string]string{"docs/guide.md": string(guide), "compare --help": compareCommand().Flags().FlagUsages()} {
		calls := regexp.MustCompile(`benchstat (-col /side) \S+`).FindAllStringSubmatch(text, -1)
		if len(calls) != 1 {
			t.Errorf("%s calls benchstat %d times, want once", document, len(calls))
			continue
		}
		out, err := exec.Command(benchstat, append(strings.Fields(calls[0][1]), path)...).CombinedOutput()
		if err != nil || !regexp.MustCompile(`(?s)│ +old +│ +new +│.*vs base.*Get.*-2[01]\.\d+% \(p=0\.008 n=5\)`).Match(out) {
			t.Errorf("%s: %s does not compare the sides (%v):\n%s", document, calls[0][0], err, out)
		}
	}
}

// TestNothingForBenchstatOfFailedRuns, and nothing is written.
func TestNothingForBenchstatOfFailedRuns(t *testing.T) {
	var runs record.Set
	require.NoError(t, runs.ReadFile(filepath.Join(repository, "results/small.jsonl")))
	good, bad := *runs.Results[0], *runs.Results[0]
	good.ComparisonRun, bad.ComparisonRun = &record.ComparisonRun{Side: "A"}, &record.ComparisonRun{Side: "B"}
	bad.Checks = readpath.Checks{{Name: "regions"}}
	found := &compare.Findings{Results: []*record.Result{&good, &good, &bad, &bad}}
	path := filepath.Join(t.TempDir(), "sides.txt")
	assert.ErrorContains(t, writeBenchmarks(path, found), "self-check")
	assert.NoFileExists(t, path, "a file was written")
}

func buildBenchstat(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "benchstat")
	if out, err := exec.Command("go", "build", "-o", path, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Fatalf("benchstat cannot be built: %v\n%s", err, out)
	}
	return path
}

// TestBenchstatCompares: the calls of benchstat that the guide and the help of report
// show compare two engines of different versions.
func TestBenchstatCompares(t *testing.T) {
	benchstat := buildBenchstat(t)
	guide, err := os.ReadFile(filepath.Join(repository, "docs/guide.md"))
	require.NoError(t, err)
	for document, text := range map[string]string{"docs/guide.md": string(guide), "report --help": reportCommand().Example} {
		calls := regexp.MustCompile(`benchstat (-table .* -col /engine) -`).FindAllStringSubmatch(text, -1)
		if len(calls) != 1 {
			t.Errorf("%s calls benchstat %d times, want once", document, len(calls))
			continue
		}
		stat := exec.Command("sh", "-c", benchstat+" "+calls[0][1]+" -")
		stat.Stdin = benchmarksOfTwoEngines(t)
		out, err := stat.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "vs base") {
			t.Errorf("%s: %s compares nothing (%v):\n%s", document, calls[0][0], err, out)
		}
	}
}

// benchmarksOfTwoEngines are the published runs, as by two engines with other versions and options.
func benchmarksOfTwoEngines(t *testing.T) *bytes.Buffer {
	t.Helper()
	var runs record.Set
	require.NoError(t, runs.ReadFile(filepath.Join(repository, "results/small.jsonl")))
	var lines, out bytes.Buffer
	for _, r := range runs.Results {
		other := *r
		other.Engine = record.Engine{Name: "pebblev2", Version: "v2", Preset: r.Engine.Preset, Options: map[string]string{"block_size": "8KiB"}}
		for _, r := range []*record.Result{r, &other} {
			require.NoError(t, record.WriteLine(&lines, r))
		}
	}
	both := filepath.Join(t.TempDir(), "both.jsonl")
	require.NoError(t, os.WriteFile(both, lines.Bytes(), 0o644))
	c := reportCommand()
	c.SetOut(&out)
	c.SetArgs([]string{both, "--format", "benchfmt"})
	require.NoError(t, c.Execute())
	return &out
}
