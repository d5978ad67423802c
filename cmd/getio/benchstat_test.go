package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"getio/record"
)

// TestBenchstatCompares: the calls of benchstat that the guide and the help of report
// show compare two engines of different versions.
func TestBenchstatCompares(t *testing.T) {
	dir := t.TempDir()
	benchstat := filepath.Join(dir, "benchstat")
	if out, err := exec.Command("go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Fatalf("benchstat cannot be built: %v\n%s", err, out)
	}
	guide, err := os.ReadFile(filepath.Join(repository, "docs/guide.md"))
	if err != nil {
		t.Fatal(err)
	}
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

// benchmarksOfTwoEngines are the published runs, as by two engines with other versions
// and options.
func benchmarksOfTwoEngines(t *testing.T) *bytes.Buffer {
	t.Helper()
	var runs record.Readings
	if err := runs.Read(filepath.Join(repository, "results/small.jsonl")); err != nil {
		t.Fatal(err)
	}
	var lines, out bytes.Buffer
	for _, r := range runs.Results {
		other := *r
		other.Engine = record.Engine{Name: "pebblev2", Version: "v2", Preset: r.Engine.Preset, Options: map[string]string{"block_size": "8KiB"}}
		for _, r := range []*record.Result{r, &other} {
			if err := record.WriteLine(&lines, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	both := filepath.Join(t.TempDir(), "both.jsonl")
	if err := os.WriteFile(both, lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := reportCommand()
	c.SetOut(&out)
	c.SetArgs([]string{both, "--format", "benchfmt"})
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	return &out
}
