package watch

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/internal/probetest"
)

// TestAccesses holds the accesses of the block cache to what the library itself counts. Pebble also
// counts those of its own work, which a busy machine may delay until the Gets: one run of a few must
// be without.
func TestAccesses(t *testing.T) {
	for _, library := range probetest.Libraries() {
		t.Run(library, func(t *testing.T) {
			for tries := 1; ; tries++ {
				seen, counted := accessesOfProgram(t, library)
				if seen == counted {
					return
				}
				require.True(t, seen < counted && tries < 5, "%d accesses were seen of %d", seen, counted)
			}
		})
	}
}

// accessesOfProgram returns the accesses of Gets, and those that the program's library counted.
func accessesOfProgram(t *testing.T, library string) (seen, counted int64) {
	c := probetest.Config{Library: library, Dirs: directories(t, 1), Keys: 50_000, Gets: gets(t), Workers: 4, Deep: true, Settled: true, Cache: 4 << 20}
	w := watchProgram(t, c, Options{Accesses: true})
	w.requireExact(t, c)
	d := w.record.Databases[0]
	require.True(t, d.Checks.Hold(), d.Checks)
	require.NotNil(t, d.BlockCache)
	t.Logf("%+v", *d.BlockCache)
	assert.Zero(t, d.BlockCache.Unmapped)
	assert.Positive(t, d.BlockCache.Accesses-d.BlockCache.Misses)
	data := d.BlockCache.Components[readpath.Data.String()]
	assert.Equal(t, d.Components[readpath.Data.String()].Reads, data.Misses)
	assert.Greater(t, *data.HitRate, 0.0)
	assert.Less(t, *data.HitRate, 1.0)
	return d.BlockCache.Accesses, w.log.CacheAccesses
}

// TestAccessesWithoutReads watches a program whose cache holds all blocks: the one database that it
// has open is the one that it uses.
func TestAccessesWithoutReads(t *testing.T) {
	probetest.RequireRights(t)
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 20_000, Workers: 1, Endless: true, Cache: 64 << 20, Rate: 20_000}
	p := probetest.Start(t, "", c)
	p.Go(t)
	for tries := 0; ; tries++ {
		w, err := Open(t.Context(), p.PID, Options{Accesses: true})
		require.NoError(t, err)
		r, err := w.Run(t.Context(), Run{For: 200 * time.Millisecond})
		require.NoError(t, errors.Join(err, w.Close()))
		require.True(t, r.Complete, "%+v", r.Losses)
		d := r.Databases[0]
		assert.Equal(t, d.Reads.Count, d.BlockCache.Misses)
		if d.Gets > 0 && d.Reads.Count == 0 {
			assert.GreaterOrEqual(t, d.BlockCache.Accesses, d.Gets)
			return
		}
		require.Less(t, tries, 100, "the program goes on reading")
	}
}
