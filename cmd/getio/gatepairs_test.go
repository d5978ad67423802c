package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/record/judge"
)

// GETIO_GATE_PAIRS=N makes these tests judge N pairs of real runs at each cache (results/gate.md).
const gatePairsEnv = "GETIO_GATE_PAIRS"

// requirePairs returns the number of pairs that the environment asks for.
func requirePairs(t *testing.T) int {
	t.Helper()
	pairs := int(fromEnv(t, gatePairsEnv, 0))
	if pairs == 0 {
		t.Skipf("%s=N judges N pairs at each cache: a run takes a few seconds of a processor", gatePairsEnv)
	}
	require.GreaterOrEqual(t, pairs, 20, "with fewer pairs, 5%% is less than one pair")
	return pairs
}

// The tree as it was.
var oldOptions = []string{"bloom_bits=10", "block_size=4KiB"}

// TestGateFalseAlarms: at most 5% of the pairs of real runs that differ in nothing but the seed are called a rise.
func TestGateFalseAlarms(t *testing.T) {
	pairs := requirePairs(t)
	tree := shapedTree(t, filepath.Join(t.TempDir(), "old"), oldOptions)
	rises, judged := 0, 0
	for _, cache := range []string{"640KiB", "2MiB", "2.6MiB", "6MiB"} {
		runs := measureSeeds(t, tree, cache, 1, 2*pairs)
		verdicts := judgePairs(t, runs[:pairs], runs[pairs:])
		t.Logf("%s: %v", cache, verdicts)
		rises += verdicts[record.GateRise]
		judged += pairs
	}
	assert.LessOrEqual(t, rises, judged*5/100, "of %d pairs", judged)
}

// TestGatePower: a changed option of the tree is found in nearly all pairs of real runs, at the caches where it
// raises reads or bytes by more than is allowed. There is one run of a changed tree for every five runs of the old one.
func TestGatePower(t *testing.T) {
	pairs := requirePairs(t)
	dir := t.TempDir()
	old := shapedTree(t, filepath.Join(dir, "old"), oldOptions)
	before := map[string][]*record.Result{}
	for _, cache := range []string{"2MiB", "6MiB"} {
		before[cache] = measureSeeds(t, old, cache, 1, pairs)
	}
	for _, changed := range []struct {
		options []string
		found   []string // at these caches
	}{
		{[]string{"bloom_bits=2", "block_size=4KiB"}, []string{"2MiB", "6MiB"}},
		{[]string{"bloom_bits=4", "block_size=4KiB"}, []string{"6MiB"}},
		{[]string{"bloom_bits=10", "block_size=8KiB"}, []string{"2MiB", "6MiB"}},
		{[]string{"bloom_bits=10", "block_size=4400"}, []string{"2MiB", "6MiB"}},
	} {
		tree := shapedTree(t, filepath.Join(dir, changed.options[0]+changed.options[1]), changed.options)
		for _, cache := range []string{"2MiB", "6MiB"} {
			measured := measureSeeds(t, tree, cache, 1+pairs, (pairs+4)/5)
			after := make([]*record.Result, pairs)
			for i := range after {
				after[i] = measured[i%len(measured)]
			}
			verdicts := judgePairs(t, before[cache], after)
			t.Logf("%v, %s: %v", changed.options, cache, verdicts)
			if slices.Contains(changed.found, cache) {
				assert.GreaterOrEqual(t, verdicts[record.GateRise], pairs*95/100, "%v, %s", changed.options, cache)
			}
		}
	}
}

func shapedTree(t *testing.T, dir string, options []string) string {
	t.Helper()
	args := []string{"load", dir, "--shaped", "--keys", "2M", "--engine", "pebblev2"}
	for _, o := range options {
		args = append(args, "--option", o)
	}
	require.NoError(t, getio(args...))
	return dir
}

// measureSeeds measures n times, with the seeds from first on.
func measureSeeds(t *testing.T, dir, cache string, first, n int) (runs []*record.Result) {
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
		lines, err := judge.Rises(base[i:i+1], side[i:i+1], 0.02)
		require.NoError(t, err)
		require.Len(t, lines, 1)
		verdicts[lines[0].Verdict]++
	}
	return verdicts
}
