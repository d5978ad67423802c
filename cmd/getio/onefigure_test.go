package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// TestOneFigure: on the genuine chaindata, measure, sweep, curve and advise say the same of each cache that two of them
// show, and all show the client's present cache with the client's flag.
func TestOneFigure(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("millions of Gets")
	}
	chain, err := unpackedChaindata()
	if err != nil {
		t.Skip(err)
	}
	const (
		share   = 0.02
		reads   = 0.002 // of smaller figures, chance decides more
		present = 32    // --cache of the client
	)
	figures := map[int64]map[string]float64{}
	add := func(command string, bytes int64, ios float64) {
		if figures[bytes] == nil {
			figures[bytes] = map[string]float64{}
		}
		figures[bytes][command] = ios
	}
	flags := map[string]int64{} // of the present cache, by command
	var presentBytes int64
	lines := func(args ...string) [][]byte { // as many Gets with each command, whatever time they take
		if args = append(args, "--gets", "50k", "--warmup", "50k"); args[0] == "advise" {
			args = append(args[:len(args)-4], "--gets", "100k")
		}
		return bytes.Split(bytes.TrimSpace(outputApart(t, append(args, "--json")...)), []byte("\n"))
	}
	var a record.Advice
	require.NoError(t, json.Unmarshal(lines("advise", chain)[0], &a))
	for _, c := range a.Caches {
		add("advise", c.Cache.Bytes, c.IOsPerGet.Known())
		if slices.Contains(c.Reasons, record.ReasonPresent) {
			presentBytes, flags["advise"] = c.Cache.Bytes, c.GethCacheMiB
		}
	}
	for _, line := range lines("sweep", chain, "--out", filepath.Join(t.TempDir(), "sweep.jsonl")) {
		var r record.Result
		require.NoError(t, json.Unmarshal(line, &r))
		if add("sweep", r.Cache.Bytes, r.IOsPerGet.Mean); r.Cache.Bytes == presentBytes {
			flags["sweep"] = r.Cache.GethCacheMiB
		}
	}
	for _, line := range lines("curve", chain) {
		var p record.Prediction
		require.NoError(t, json.Unmarshal(line, &p))
		if add("curve", p.Cache.Bytes, *p.IOsPerGet.Window); p.Cache.Bytes == presentBytes {
			flags["curve"] = p.Cache.GethCacheMiB
		}
	}
	var r record.Result
	require.NoError(t, json.Unmarshal(lines("measure", chain, "--cache", fmt.Sprint(present))[0], &r))
	add("measure", r.Cache.Bytes, r.IOsPerGet.Mean)
	flags["measure"] = r.Cache.GethCacheMiB
	assert.Equal(t, presentBytes, r.Cache.Bytes)
	assert.Equal(t, map[string]int64{"advise": present, "sweep": present, "curve": present, "measure": present}, flags)
	pairs := 0
	for _, bytes := range slices.Sorted(maps.Keys(figures)) {
		t.Logf("%.2f MiB: %v", float64(bytes)/(1<<20), figures[bytes])
		of := slices.Sorted(maps.Values(figures[bytes]))
		if pairs += len(of) - 1; len(of) > 1 {
			least, most := of[0], of[len(of)-1]
			assert.LessOrEqual(t, most-least, math.Max(share*most, reads), "with %d bytes: %v", bytes, figures[bytes])
		}
	}
	assert.GreaterOrEqual(t, pairs, 5, "%v", figures)
}
