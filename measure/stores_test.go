package measure

import (
	"context"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/keysource"
	"getio/workload"
	"getio/workload/dataset"
)

// storesDir holds databases that several tests read. Each is loaded once.
var storesDir string

func TestMain(m *testing.M) {
	var err error
	if storesDir, err = os.MkdirTemp("", "getio-measure-"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(storesDir)
	os.Exit(code)
}

// Options with which 20,000 keys make several levels.
var smallTables = map[string][]string{
	"pebblev1":  {"block_size=1KiB", "index_block_size=512", "target_file_size=64KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB"},
	"pebblev2":  {"block_size=1KiB", "index_block_size=512", "target_file_size=64KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB"},
	"goleveldb": {"block_size=1KiB", "table_size=64KiB", "memtable_size=256KiB", "l1_max_bytes=256KiB", "level_multiplier=4"},
	"rocksdb":   {"block_size=1KiB", "metadata_block_size=512", "target_file_size_base=64KiB", "write_buffer_size=256KiB", "max_bytes_for_level_base=256KiB"},
}

// layerStores calls each with a small database of every engine and Gets of its keys.
func layerStores(t *testing.T, each func(t *testing.T, s engine.Store, gets func() keysource.Sequence)) {
	eachStore(t, dataset.KeyspaceKeccak, nil, func(t *testing.T, s engine.Store, gets func(workload.Keys) keysource.Sequence) {
		each(t, s, func() keysource.Sequence { return gets(workload.Keys{Seed: 1}) })
	})
}

// grownStores calls each with a small database of several levels, for every engine. Keys are
// numbered in key order.
func grownStores(t *testing.T, each func(t *testing.T, s engine.Store, gets func(workload.Keys) keysource.Sequence)) {
	eachStore(t, dataset.KeyspaceStratified, smallTables, each)
}

func eachStore(t *testing.T, keyspace string, options map[string][]string, each func(t *testing.T, s engine.Store, gets func(workload.Keys) keysource.Sequence)) {
	const n = 20_000
	keys, err := dataset.NewKeyspace(keyspace, n, 1)
	require.NoError(t, err)
	values, err := dataset.NewValues(dataset.ValuesRandom, 110, 1)
	require.NoError(t, err)
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			if testing.Short() && e.Name() != "pebblev2" {
				t.Skip("the race detector sees the same workers with every engine")
			}
			cfg, err := e.Configure("", options[e.Name()])
			require.NoError(t, err)
			dir := filepath.Join(storesDir, keyspace+"-"+e.Name())
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				loadStore(t, e, cfg, dir, keys, values)
			}
			s, err := e.OpenStore(context.Background(), dir, cfg)
			require.NoError(t, err)
			defer s.Close()
			each(t, s, func(r workload.Keys) keysource.Sequence { return keysource.Written(keys, values, r) })
		})
	}
}

func loadStore(t *testing.T, e engine.Engine, cfg engine.Config, dir string, keys dataset.Keyspace, values *dataset.Values) {
	t.Helper()
	l, err := e.Create(dir, cfg)
	require.NoError(t, err)
	var key [dataset.KeySize]byte
	order := dataset.NewPermutation(keys.Len(), 1)
	for i := range keys.Len() {
		number := order.Of(i)
		keys.Key(number, &key)
		require.NoError(t, l.Set(key[:], values.Value(number, nil)))
	}
	require.NoError(t, l.Settle(context.Background(), nil))
	require.NoError(t, l.Close())
}
