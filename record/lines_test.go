package record

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
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
	_, err := readKind[Result](path, ResultSchema)
	assert.ErrorContains(t, err, "line 2")
}

func checkCaches(t *testing.T, path string, want ...int64) {
	t.Helper()
	got, err := readKind[Result](path, ResultSchema)
	require.NoError(t, err)
	require.True(t, slices.EqualFunc(got, want, func(r *Result, bytes int64) bool { return r.Cache.Bytes == bytes }), "results %+v, want caches %v", got, want)
}
