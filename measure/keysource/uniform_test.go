package keysource_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/truth"
	truthleveldb "getio/internal/truth/goleveldb"
	truthv1 "getio/internal/truth/pebblev1"
	truthv2 "getio/internal/truth/pebblev2"
	"getio/measure/keysource"
	"getio/workload"
)

// library is a library alone, and the engine that reads its databases.
type library struct {
	truth.Library
	engine engine.Engine
}

var libraries = []library{
	{truthv1.Library, pebblev1.Engine}, {truthv2.Library, pebblev2.Engine}, {truthleveldb.Library, goleveldb.Engine},
}

// TestKeysAreDrawnUniformly draws keys from databases as people have them, and compares how often each was drawn with
// all keys that the library's iterator lists.
func TestKeysAreDrawnUniformly(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes it too slow; batches are drawn with it too")
	}
	keys, draws := 2_000, 8_000
	if n, err := strconv.Atoi(os.Getenv("GETIO_DRAWS")); err == nil {
		keys, draws = n/10, n
	}
	for _, l := range libraries {
		for _, tree := range truth.Trees(keys) {
			if !l.Has(tree) {
				continue
			}
			t.Run(l.Name+"/"+tree.Name, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "db")
				require.NoError(t, l.Write(dir, tree))
				s := open(t, l.engine, dir)
				all := l.entries(t, s)
				hits := drawn(t, s, draws)
				expected := float64(draws) / float64(len(all))
				chi2, found := 0.0, 0
				for _, e := range all {
					n := hits[string(e.Key)]
					found += n
					chi2 += (float64(n) - expected) * (float64(n) - expected) / expected
				}
				assert.Equal(t, draws, found, "keys were drawn that are not there")
				limit := distuv.ChiSquared{K: float64(len(all) - 1)}.Quantile(1 - 1e-5)
				assert.LessOrEqual(t, chi2, limit, "the chi-squared statistic of %d keys is exceeded once in 100,000 times", len(all))
			})
		}
	}
}

func open(t *testing.T, e engine.Engine, dir string) engine.Store {
	cfg, err := e.Configure("", nil)
	require.NoError(t, err)
	s, err := e.OpenStore(t.Context(), dir, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// entries lists the keys of a database.
func (l library) entries(t *testing.T, s engine.Store) []truth.Entry {
	db, err := s.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	defer db.Close()
	r, err := l.Open(s.Info().Dir, truth.Cache{Bytes: db.Cache().Bytes, Shards: db.Cache().Shards})
	require.NoError(t, err)
	defer r.Close()
	all, err := r.Entries()
	require.NoError(t, err)
	return all
}

// drawn counts how often a measurement asks for each key.
func drawn(t *testing.T, s engine.Store, draws int) map[string]int {
	gets, err := keysource.Sampled(s, workload.Keys{Seed: 1})
	require.NoError(t, err)
	defer gets.Close()
	hits := map[string]int{}
	for first := 0; first < draws; first += draws / 4 {
		require.NoError(t, gets.Prepare(context.Background(), int64(first), int64(draws/4)))
		for g := first; g < first+draws/4; g++ {
			key, want := gets.Key(int64(g), nil)
			require.True(t, want.Present)
			hits[string(key)]++
		}
	}
	return hits
}

// TestDrawsDoNotDependOnBatches: a Get has the same key, whatever Gets are prepared with it.
func TestDrawsDoNotDependOnBatches(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, truthv2.Library.Write(dir, truth.Trees(1000)[1]))
	s := open(t, pebblev2.Engine, dir)
	keys := func(batch int64) (list []string) {
		gets, err := keysource.Sampled(s, workload.Keys{Seed: 3, Absent: 0.2})
		require.NoError(t, err)
		defer gets.Close()
		for first := int64(0); first < 600; first += batch {
			require.NoError(t, gets.Prepare(context.Background(), first, batch))
			for g := first; g < first+batch; g++ {
				key, want := gets.Key(g, nil)
				list = append(list, fmt.Sprint(string(key), want))
			}
		}
		return list
	}
	assert.Equal(t, keys(600), keys(25))
}
