package main

import (
	"bytes"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/experiment/gate"
	"getio/record"
)

// A run with this in its environment judges so many pairs of real runs at each cache (docs/method.md, "A gate").
const gatePairsEnv = "GETIO_GATE_PAIRS"

// TestGateOnRealRuns: at most 5% of the pairs of runs that differ in nothing but the seed are called a rise, and a
// changed option of the tree is found where it raises reads or bytes by more than is allowed.
func TestGateOnRealRuns(t *testing.T) {
	pairs := int(fromEnv(t, gatePairsEnv, 0))
	if pairs == 0 {
		t.Skipf("%s=N judges N pairs at each cache: four of their runs take a second or two of a processor", gatePairsEnv)
	}
	dir := t.TempDir()
	old := shapedTree(t, filepath.Join(dir, "old"), "bloom_bits=10", "block_size=4KiB")
	before := map[string][]*record.Result{}
	rises, judged := 0, 0
	for _, cache := range []string{"640KiB", "2MiB", "2.6MiB", "6MiB"} {
		before[cache] = seeds(t, old, cache, 1, 2*pairs)
		verdicts := judgePairs(t, before[cache][:pairs], before[cache][pairs:])
		t.Logf("nothing but the seed differs, %s: %v", cache, verdicts)
		rises += verdicts[record.GateRise]
		judged += pairs
	}
	assert.LessOrEqual(t, rises, judged*5/100, "of %d pairs", judged)
	for _, changed := range []struct {
		options []string
		found   []string // at these caches in nearly all pairs
	}{
		{[]string{"bloom_bits=2", "block_size=4KiB"}, []string{"2MiB", "6MiB"}},
		{[]string{"bloom_bits=4", "block_size=4KiB"}, []string{"6MiB"}},
		{[]string{"bloom_bits=10", "block_size=8KiB"}, []string{"2MiB", "6MiB"}},
		{[]string{"bloom_bits=10", "block_size=4400"}, []string{"2MiB", "6MiB"}},
	} {
		tree := shapedTree(t, filepath.Join(dir, changed.options[0]+changed.options[1]), changed.options...)
		for _, cache := range []string{"2MiB", "6MiB"} {
			after := seeds(t, tree, cache, 1+2*pairs, pairs)
			verdicts := judgePairs(t, before[cache][:pairs], after)
			t.Logf("%v, %s: %v", changed.options, cache, verdicts)
			for _, found := range changed.found {
				if found == cache {
					assert.GreaterOrEqual(t, verdicts[record.GateRise], pairs*95/100, "%v, %s", changed.options, cache)
				}
			}
		}
	}
}

func shapedTree(t *testing.T, dir string, options ...string) string {
	t.Helper()
	args := []string{"load", dir, "--shaped", "--keys", "2M", "--engine", "pebblev2"}
	for _, o := range options {
		args = append(args, "--option", o)
	}
	require.NoError(t, getio(args...))
	return dir
}

// seeds measures n times, with the seeds from first on.
func seeds(t *testing.T, dir, cache string, first, n int) (runs []*record.Result) {
	t.Helper()
	for seed := first; seed < first+n; seed++ {
		var out, errs bytes.Buffer
		args := []string{"getio", "measure", dir, "--cache", cache, "--workers", "1", "--seed", strconv.Itoa(seed), "--json"}
		require.Zero(t, run(args, nil, &out, &errs), "%v: %s", args, &errs)
		var s record.Set
		require.NoError(t, s.Read("measured", &out))
		runs = append(runs, s.Results...)
	}
	return runs
}

// judgePairs counts the verdicts on pairs of runs.
func judgePairs(t *testing.T, base, side []*record.Result) map[string]int {
	t.Helper()
	verdicts := map[string]int{}
	for i := range base {
		lines, err := gate.Judge(base[i:i+1], side[i:i+1], 0.02)
		require.NoError(t, err)
		require.Len(t, lines, 1)
		verdicts[lines[0].Verdict]++
	}
	return verdicts
}
