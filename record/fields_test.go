package record

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
)

// TestUnmeasuredIsAbsent: a field without a value is not written as zero.
func TestUnmeasuredIsAbsent(t *testing.T) {
	data, err := json.Marshal(&Result{Components: map[string]Component{"data": {}}})
	require.NoError(t, err)
	for _, name := range []string{"ci95", "steady", "drift", "hit_rate", "shared_loads", "updates", "keys_file", "wal_keys", "block_cache", "warnings", "split", "keys\"", "latency"} {
		assert.NotContains(t, string(data), `"`+name, "%s is present although it was not measured: %s", name, data)
	}
}

func TestBelievable(t *testing.T) {
	r := &Result{Checks: []readpath.Check{{Name: "a", OK: true}}}
	if !r.Checks.Hold() || len(r.Checks.Failed()) != 0 {
		t.Error("a run whose check holds is believable")
	}
	r.Checks = append(r.Checks, readpath.Check{Name: "b"})
	if r.Checks.Hold() || len(r.Checks.Failed()) != 1 || r.Checks.Failed()[0].Name != "b" {
		t.Errorf("failed: %v", r.Checks.Failed())
	}
}
