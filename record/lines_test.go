package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func result(cache int64) *Result {
	return &Result{Schema: ResultSchema, Cache: Cache{Bytes: cache}}
}

func TestAppendAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if got, err := ReadResults(path); err != nil || got != nil {
		t.Errorf("a file that is not there: %v, %v", got, err)
	}
	for i := range int64(3) {
		if err := Append(path, result(i)); err != nil {
			t.Fatal(err)
		}
	}
	checkCaches(t, path, 0, 1, 2)
}

// TestCutLine: a last line that an interruption cut short is neither read nor kept.
func TestCutLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if err := Append(path, result(1)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"schema":"getio.res`)
	f.Close()
	checkCaches(t, path, 1)
	if err := Append(path, result(2)); err != nil {
		t.Fatal(err)
	}
	checkCaches(t, path, 1, 2)
}

// TestForeignLines: records of other schemas are skipped; garbage is an error.
func TestForeignLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	write := func(lines string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"schema":"getio.prediction/1"}` + "\n" + `{"schema":"getio.result/1","cache":{"bytes":7}}` + "\n")
	checkCaches(t, path, 7)
	write(`{"schema":"getio.result/1"}` + "\nnonsense\n")
	if _, err := ReadResults(path); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("garbage on line 2: %v", err)
	}
}

func checkCaches(t *testing.T, path string, want ...int64) {
	t.Helper()
	got, err := ReadResults(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d results, %d expected", len(got), len(want))
	}
	for i, r := range got {
		if r.Cache.Bytes != want[i] {
			t.Errorf("result %d has cache %d, %d expected", i, r.Cache.Bytes, want[i])
		}
	}
}
