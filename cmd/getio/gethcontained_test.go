package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// gethsDiffer is by how many of its reads a geth may differ from another that answers the same requests. On a busy machine,
// 13 of 11,439 were seen.
const gethsDiffer = 0.005

// gethContained: of a geth in a mount and a PID namespace, whose path of the database leads to another geth's database here,
// watch and advise tell the same as of a geth outside of them.
func gethContained(t *testing.T, c *gethChain) {
	if os.Getuid() != 0 {
		t.Skip("only root makes namespaces")
	}
	at := filepath.Join(t.TempDir(), "node")
	require.NoError(t, getio("chain", "build", filepath.Join(at, "geth"), "--accounts", "5k", "--flat"))
	startGeth(t, at, "--cache", gethLeastCache, withoutLogIndex)

	var watched [2]*record.WatchedDatabase
	var advised [2]*record.AdvisedCache
	for i, outside := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "node")
		copyTree(t, c.dir, dir)
		path := at
		if outside {
			path = dir
		}
		g := startGethAt(t, dir, path, "--cache", gethLeastCache, withoutLogIndex)
		w := watchApart(t, g)
		before := g.quiet(t)
		g.load(t, c.targets, 1, 8, 10_000).requireServed(t)
		misses := g.quiet(t) - before
		d := g.chaindataOf(t, w.end(t))
		footers := d.Components["table_open"].Reads / readsToOpen
		t.Logf("%d Gets, %d reads, %.4f I/Os per Get; geth counted %d misses, and read %d footers", d.Gets, d.Reads.Count, d.IOsPerGet.Mean, misses, footers)
		assert.Equal(t, misses+footers, d.Reads.Count)
		watched[i] = d

		l := g.load(t, c.targets, 1, 9, 0)
		var advice record.Advice
		require.NoError(t, json.Unmarshal(outputApart(t, "advise", strconv.Itoa(g.pid), "--for", "30s", "--json"), &advice))
		l.stop()
		present := slices.IndexFunc(advice.Caches, func(c *record.AdvisedCache) bool { return slices.Contains(c.Reasons, record.ReasonPresent) })
		require.GreaterOrEqual(t, present, 0)
		advised[i] = advice.Caches[present]
		require.NotNil(t, advised[i].IOsPerGet.Error)
		t.Logf("advice: %.4f I/Os per Get with the present cache, off by %+.2f%%", advised[i].IOsPerGet.Predicted, 100**advised[i].IOsPerGet.Error)
		requireWithin(t, 0.05, 1+*advised[i].IOsPerGet.Error, 1, "advice against what geth did")
		g.stop(t)
	}
	assert.Equal(t, watched[0].Gets, watched[1].Gets)
	// Two geths do not always read alike, wherever they run. What each reads is compared with its own counts above.
	most := gethsDiffer * float64(watched[0].Reads.Count)
	assert.InDelta(t, watched[0].Reads.Count, watched[1].Reads.Count, most)
	require.Len(t, watched[1].Components, len(watched[0].Components))
	for name, reads := range watched[0].Components {
		require.Contains(t, watched[1].Components, name)
		assert.InDelta(t, reads.Reads, watched[1].Components[name].Reads, most, name)
	}
}
