package pebblestore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	pebble1 "github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
)

// TestLogsElsewhere: the OPTIONS file places the write-ahead log in another directory, which holds keys that no table has.
func TestLogsElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		engine engine.Engine
		write  func(dir, logs string, set func(func(key, value []byte) error)) error
	}{
		"v1": {pebblev1.Engine, func(dir, logs string, set func(func(key, value []byte) error)) error {
			db, err := pebble1.Open(dir, &pebble1.Options{WALDir: logs})
			if err == nil {
				set(func(key, value []byte) error { return db.Set(key, value, pebble1.NoSync) })
				err = db.Close()
			}
			return err
		}},
		"v2": {pebblev2.Engine, func(dir, logs string, set func(func(key, value []byte) error)) error {
			db, err := pebble.Open(dir, &pebble.Options{
				WALDir: logs, WALFailover: &pebble.WALFailoverOptions{Secondary: wal.Dir{FS: vfs.Default, Dirname: logs + "-second"}},
			})
			if err == nil {
				set(func(key, value []byte) error { return db.Set(key, value, pebble.NoSync) })
				err = db.Close()
			}
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, logs := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "logs")
			require.NoError(t, c.write(dir, logs, func(set func(key, value []byte) error) {
				for i := range 500 {
					require.NoError(t, set(fmt.Appendf(nil, "key %04d", i), []byte("value")))
				}
			}))
			cfg, err := c.engine.Configure("", nil)
			require.NoError(t, err)
			look := func() (engine.Info, bool) {
				s, err := c.engine.OpenStore(t.Context(), dir, cfg)
				require.NoError(t, err)
				defer s.Close()
				db, err := s.Open(engine.OpenConfig{CacheBytes: 4 << 20})
				require.NoError(t, err)
				defer db.Close()
				_, found, err := db.Get([]byte("key 0321"), nil)
				require.NoError(t, err)
				if found {
					requireDrawn(t, s)
				}
				return s.Info(), found
			}
			info, found := look()
			assert.Equal(t, int64(500), info.WALKeys)
			assert.Positive(t, info.WALBytes)
			assert.True(t, found)
			assert.Empty(t, info.Warnings())

			require.NoError(t, os.Rename(logs, logs+"-moved"))
			info, found = look()
			assert.Zero(t, info.WALKeys)
			assert.False(t, found)
			assert.Contains(t, fmt.Sprint(info.Warnings()), "has its write-ahead log in "+logs+", which is not here: keys that only the log holds are not counted")
		})
	}
}

// requireDrawn: keys of the log are drawn, wherever it is.
func requireDrawn(t *testing.T, s engine.Store) {
	t.Helper()
	sampler, err := s.Sampler()
	require.NoError(t, err)
	defer sampler.Close()
	keys, err := sampler.Draw(t.Context(), []func() uint64{rand.Uint64})
	require.NoError(t, err)
	require.Regexp(t, "^key ", string(keys[0]))
}
