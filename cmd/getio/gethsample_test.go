package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"getio/record"
)

// gethSampled: a recording of one key in 16 gives the same curve as a recording of all keys, made at the same time. A
// sample needs many neighbourhoods of keys (docs/traces.md), so the chain is larger.
func gethSampled(t *testing.T, _ *gethChain) {
	const recorded = 3 * time.Minute
	c := buildGethChain(t, "600k")
	g := c.start(t, "--cache", gethLeastCache, withoutLogIndex)
	l := g.load(t, c.targets, gethWorkers, 5, 0)
	whole, sample := filepath.Join(t.TempDir(), "whole.trace.gz"), filepath.Join(t.TempDir(), "sample.trace.gz")
	watchers := []*watcher{
		watchApart(t, g, "--record", whole),
		watchApart(t, g, "--record", sample, "--sample", "1/16"),
	}
	time.Sleep(recorded)
	for _, w := range watchers {
		trace := w.end(t).Trace
		require.NotNil(t, trace)
		t.Logf("recorded %d Gets, %d lost", trace.Gets, trace.LostGets)
	}
	l.stop()
	l.requireServed(t)
	g.stop(t) // curve reads no database that is in use
	sizes := []string{"4MiB", "8MiB", "16MiB", "32MiB", "48MiB", "64MiB"}
	curve := func(path string) []*record.Prediction {
		predictions := recordsOf(t, "curve", g.store, "--trace", path, "--cache", strings.Join(sizes, ","), "--json").Predictions
		require.Len(t, predictions, len(sizes))
		return predictions
	}
	all, some := curve(whole), curve(sample)
	for i, size := range sizes {
		requireWithin(t, 0.05, *some[i].IOsPerGet.Window, *all[i].IOsPerGet.Window, "curve of the sample against all keys at "+size)
	}
}
