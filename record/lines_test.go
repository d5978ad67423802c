package record

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func result(cache int64) *Result {
	return &Result{Schema: ResultSchema, Cache: Cache{Bytes: cache}}
}

// TestForeignLines: records of other schemas are skipped; garbage is an error.
func TestForeignLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	write(t, path, `{"schema":"getio.prediction/1"}`+"\n"+`{"schema":"getio.result/1","cache":{"bytes":7}}`+"\n")
	checkCaches(t, path, 7)
	write(t, path, `{"schema":"getio.result/1"}`+"\nnonsense\n")
	if _, err := readKind[Result](path, ResultSchema); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("garbage on line 2: %v", err)
	}
}

func checkCaches(t *testing.T, path string, want ...int64) {
	t.Helper()
	got, err := readKind[Result](path, ResultSchema)
	require.NoError(t, err)
	require.True(t, slices.EqualFunc(got, want, func(r *Result, bytes int64) bool { return r.Cache.Bytes == bytes }), "results %+v, want caches %v", got, want)
}
