package load

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/engines"
	"getio/measure/database"
)

// TestManifestCutBetweenRecords: a MANIFEST that is cut between two records looks complete. getio must refuse its tree or
// warn of it, unless it is the loaded one, even if only the move of a table to another level is lost.
func TestManifestCutBetweenRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("a load, and a database opened again and again: other tests look for races in both")
	}
	t.Parallel()
	small := map[string][]string{
		"goleveldb": {"table_size=16KiB", "l1_max_bytes=64KiB", "memtable_size=64KiB"},
		"rocksdb":   {"target_file_size_base=16KiB", "max_bytes_for_level_base=64KiB", "write_buffer_size=64KiB"},
		"pebblev1":  {"target_file_size=16KiB", "lbase_max_bytes=64KiB", "memtable_size=64KiB"},
	}
	small["pebblev2"] = small["pebblev1"]
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			j := newJob(t, 5000, 100, 1)
			var err error
			j.Engine = e
			j.Config, err = e.Configure("", small[e.Name()])
			require.NoError(t, err)
			j.Manifest.Engine, j.Manifest.Options = e.Name(), j.Config.Effective()
			require.NoError(t, j.New(t.Context()))
			found, err := filepath.Glob(filepath.Join(j.Dir, "db", "MANIFEST-*"))
			require.NoError(t, err)
			require.NotEmpty(t, found)
			path := found[len(found)-1]
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			d, err := database.Open(t.Context(), engines.All(), j.Dir, database.OpenOptions{})
			require.NoError(t, err)
			assert.Empty(t, d.Info().Warnings())
			loaded := tablesOf(d)
			require.NoError(t, d.Close())
			refused, warned := 0, 0
			for _, end := range recordEnds(whole) {
				require.NoError(t, os.WriteFile(path, whole[:end], 0o600))
				d, err := database.Open(t.Context(), engines.All(), j.Dir, database.OpenOptions{})
				if err != nil {
					refused++
					continue
				}
				if len(d.Info().Warnings()) > 0 {
					warned++
				} else {
					assert.Equal(t, loaded, tablesOf(d), "cut at byte %d of %d", end, len(whole))
				}
				require.NoError(t, d.Close())
			}
			t.Logf("refused %d, warned of %d", refused, warned)
			assert.Positive(t, refused+warned)
		})
	}
}

// tablesOf returns the numbers of the tables in each level.
func tablesOf(d *database.Database) map[int][]uint64 {
	tables := map[int][]uint64{}
	for _, l := range d.Store.Shape().Levels {
		for _, table := range l.TableList {
			tables[l.Level] = append(tables[l.Level], table.File)
		}
		slices.Sort(tables[l.Level])
	}
	return tables
}

// recordEnds returns where the records of a file in LevelDB's log format end, but for the last.
func recordEnds(log []byte) (ends []int) {
	const block, header, full, last = 32 << 10, 7, 1, 4
	for at := 0; len(log)-at >= header; {
		if left := block - at%block; left < header {
			at += left
			continue
		}
		kind := log[at+6]
		at += header + int(binary.LittleEndian.Uint16(log[at+4:]))
		if kind == full || kind == last {
			ends = append(ends, at)
		}
	}
	return ends[:len(ends)-1]
}
