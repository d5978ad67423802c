package gethstate

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/ethereum/chain"
	"getio/ethereum/chainload"
	"getio/internal/adaptertest"
	"getio/internal/enginetest"
	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/conformance"
	"getio/workload/dataset"
)

func TestMain(m *testing.M) {
	adaptertest.Run(m, func(string) (adapter.Engine, error) { return geths(), nil })
}

func pebbleV2() engine.Engine {
	e, err := engines.All().ByName(Engine)
	if err != nil {
		panic(err)
	}
	return e
}

func geths() adapter.Engine { return New(context.Background(), pebbleV2()) }

func TestGethConforms(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	p := conformance.Plan{Command: []string{"env", adaptertest.EngineVariable + "=geth", self}, Dir: t.TempDir(), Keys: 1500, Kills: 3, Seed: 3}
	ends := 0
	_, err = p.Run(t.Context(), func(s record.AdapterStep) {
		if s.Name == "end" {
			ends++
		}
	})
	require.NoError(t, err)
	assert.Equal(t, 2, ends)
}

// accounts makes a store with accounts, in several commits, and returns their keys.
func accounts(t *testing.T, dir, scheme string, n uint64) (keys [][]byte) {
	t.Helper()
	values, err := dataset.NewValues(dataset.ValuesAccounts, dataset.AccountSize, 1)
	require.NoError(t, err)
	hashes, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, n, 1)
	require.NoError(t, err)
	s, _, err := geths().Open(adapter.Open{Dir: dir, Configuration: scheme, Mode: adapter.Create})
	require.NoError(t, err)
	for i := range n {
		var key [dataset.KeySize]byte
		hashes.Key(i, &key)
		keys = append(keys, key[:])
		require.NoError(t, s.Load([]adapter.Record{{Key: key[:], Value: values.Value(i, nil)}}))
		if i%(n/4) == n/4-1 {
			_, err := s.Commit()
			require.NoError(t, err)
		}
		if i == n/2 {
			require.NoError(t, s.Quiesce(func(string) {}))
		}
	}
	require.NoError(t, s.Close())
	return keys
}

// TestReadsAreThoseOfChainMeasure: a lookup makes the reads of table files that 'chain measure'
// counts for getBalance on the same store without a cache, and changes nothing.
func TestReadsAreThoseOfChainMeasure(t *testing.T) {
	for _, c := range []struct {
		scheme string
		flat   bool
	}{{"path", true}, {"hash", false}} {
		t.Run(c.scheme, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "chaindata")
			keys := accounts(t, dir, c.scheme, 20_000)[:2000]
			var targets []chain.Target
			for _, key := range keys {
				targets = append(targets, chain.Target{Hash: common.BytesToHash(key)})
			}
			run := chain.Run{
				Operation: chain.Balance, Flat: c.flat, Operations: len(targets),
				Targets: func(n int) ([]chain.Target, error) { return targets[:n], nil },
			}
			cfg, err := pebbleV2().Configure(chainload.Preset(Engine), nil)
			require.NoError(t, err)
			opened, err := pebbleV2().OpenStore(t.Context(), dir, cfg)
			require.NoError(t, err)
			want, err := run.Measure(t.Context(), opened, chain.Place{Dir: dir, Ancient: dir}, engine.OpenConfig{})
			require.NoError(t, err)
			require.NoError(t, opened.Close())

			enginetest.RequireUnchanged(t, dir, func() {
				s, _, err := geths().Open(adapter.Open{Dir: dir, Configuration: c.scheme, Mode: adapter.Read})
				require.NoError(t, err)
				before := fileReads(t, s)
				answers := make([]adapter.Answer, len(keys))
				require.NoError(t, s.Get(keys, false, answers))
				got := (fileReads(t, s) - before) / float64(len(keys))
				assert.InDelta(t, want.Reads.Mean, got, 1e-9)
				assert.Greater(t, got, 1.0)
				require.NoError(t, s.Close())
			})
		})
	}
}

func fileReads(t *testing.T, s adapter.Store) float64 {
	t.Helper()
	stats, err := s.Stats()
	require.NoError(t, err)
	for _, stat := range stats {
		if stat.Name == "file_reads" {
			return stat.Value
		}
	}
	t.Fatalf("no file_reads in %+v", stats)
	return 0
}

// TestOtherStoresAreRefused: a directory without a store, one that has something, and options.
func TestOtherStoresAreRefused(t *testing.T) {
	dir := t.TempDir()
	_, _, err := geths().Open(adapter.Open{Dir: dir, Configuration: "path", Mode: adapter.Read})
	adaptertest.RequireError(t, err, "has no store of this engine")
	_, _, err = geths().Open(adapter.Open{Dir: dir, Configuration: "path", Mode: adapter.Create, Options: []string{"a=1"}})
	adaptertest.RequireError(t, err, "option a=1 is not known")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	_, _, err = geths().Open(adapter.Open{Dir: dir, Configuration: "path", Mode: adapter.Create})
	adaptertest.RequireError(t, err, "is not empty")
	dir = filepath.Join(t.TempDir(), "chaindata")
	accounts(t, dir, "path", 40)
	_, _, err = geths().Open(adapter.Open{Dir: dir, Configuration: "hash", Mode: adapter.Read})
	adaptertest.RequireError(t, err, "has a state of the path scheme")
}
