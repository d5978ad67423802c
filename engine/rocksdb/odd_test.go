//go:build rocksdb

package rocksdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/internal/enginetest"
	"getio/internal/truth/truthtest"
)

// odd writes a database as few programs write them.
func odd(t *testing.T, kind string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "odd", kind, dir)
	return dir
}

// opened opens a database as commands do.
func opened(t *testing.T, dir string) (engine.Store, error) {
	t.Helper()
	found, err := Engine.Recognise(dir)
	require.NoError(t, err)
	cfg := configured(t, "", found.Options...)
	s, err := Engine.OpenStore(context.Background(), dir, cfg)
	if err == nil {
		t.Cleanup(func() { require.NoError(t, s.Close()) })
	}
	return s, err
}

// TestOddDatabases: intact databases are read, with all that their log holds, and neither end the process nor change.
func TestOddDatabases(t *testing.T) {
	for kind, inLog := range map[string]int64{"merges": 100, "prepared": 0, "committed": 10, "log": 1} {
		t.Run(kind, func(t *testing.T) {
			dir := odd(t, kind)
			enginetest.RequireUnchanged(t, dir, func() {
				s, err := opened(t, dir)
				require.NoError(t, err)
				assert.Equal(t, "truth.Append", s.Info().Merger)
				assert.Equal(t, inLog, s.Info().WALKeys)
				assert.Equal(t, map[bool]int64{true: 10}[kind == "prepared"], s.Info().WALPrepared)
				assert.Positive(t, s.Info().WALBytes)
				d := openDB(t, s, engine.OpenConfig{})
				run := enginetest.Measured(t, d, func() {
					for i := range 2000 {
						_, found, err := d.Get(fmt.Appendf(nil, "key %06d", i), nil)
						require.NoError(t, err)
						require.True(t, found)
					}
				})
				assert.GreaterOrEqual(t, run.Reads.Count.Sum(), int64(2000))
				_, found, err := d.Get([]byte("key 003000"), nil)
				require.NoError(t, err)
				assert.Equal(t, kind == "committed", found)
			})
		})
	}
}

// TestMergesReadWhatTheirOperatorReads: Gets through the operator that stands in read the blocks that RocksDB reads.
func TestMergesReadWhatTheirOperatorReads(t *testing.T) {
	dir := odd(t, "merges")
	s, err := opened(t, dir)
	require.NoError(t, err)
	var keys [][]byte
	for i := range 300 {
		keys = append(keys, fmt.Appendf(nil, "key %06d", i*7%2100))
	}
	for _, cache := range []int64{0, 64 << 20} {
		compareGets(t, s, defaultFamily, keys, cache, 1000, "outside")
	}
}

// TestUnsupportedDatabases: what getio does not read is named, and not called damage.
func TestUnsupportedDatabases(t *testing.T) {
	for kind, want := range map[string]string{
		"reverse": `orders the keys of its column family "default" with rocksdb.ReverseBytewiseComparator`,
		"levels":  `has tables in level 11 of its column family "default": getio reads databases of up to 7 levels`,
		"paths":   `lacks 1 of the 1 tables of its column family "default", which its client seems to keep in other directories (db_paths or cf_paths)`,
		"plain":   `keeps its column family "default" in tables of the kind PlainTable`,
		"policy":  `holds transactions of the write policy WritePrepared or WriteUnprepared`,
	} {
		t.Run(kind, func(t *testing.T) {
			_, err := opened(t, odd(t, kind))
			require.ErrorContains(t, err, want)
			assert.NotContains(t, err.Error(), "damaged")
		})
	}
}

// TestLogThatIsNotThere: a log that the options file places elsewhere, where it is not, is named.
func TestLogThatIsNotThere(t *testing.T) {
	dir := odd(t, "log")
	require.NoError(t, os.Rename(dir+"-log", dir+"-moved"))
	s, err := opened(t, dir)
	require.NoError(t, err)
	assert.Equal(t, []string{fmt.Sprintf("the client of %s may read it otherwise than getio: the keys in its write-ahead log are not read, which is in %s-log and cannot be opened here", dir, dir)}, s.Info().Warnings())
}

// TestWithoutOptionsFile: a database whose options file is missing or empty is read, with a warning.
func TestWithoutOptionsFile(t *testing.T) {
	for _, content := range []string{"missing", ""} {
		dir := odd(t, "committed")
		files, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
		require.NoError(t, err)
		for _, file := range files {
			if content == "missing" {
				require.NoError(t, os.Remove(file))
			} else {
				require.NoError(t, os.WriteFile(file, nil, 0o600))
			}
		}
		s, err := opened(t, dir)
		require.NoError(t, err)
		require.Len(t, s.Info().Warnings(), 1)
		assert.Contains(t, s.Info().Warnings()[0], "so it is read with the options of getio's preset: choose others with --option")
	}
}
