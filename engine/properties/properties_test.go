package properties

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/tool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	pebblev1 "getio/engine/pebble/v1"
)

// TestPropertiesAsTheLibrarysTool compares the table with the output of the library's own
// tool for the same database, byte for byte.
func TestPropertiesAsTheLibrarysTool(t *testing.T) {
	dir := t.TempDir()
	writeDatabase(t, dir)
	levels := readProperties(t, dir)
	requireVariety(t, levels)

	var ours bytes.Buffer
	require.NoError(t, Write(&ours, levels))
	assert.Equal(t, runTool(t, dir), ours.String())
}

// writeDatabase makes a tree with tables on several levels, two-level indexes, and
// records of every kind that the table has a row for.
func writeDatabase(t *testing.T, dir string) {
	t.Helper()
	comparer := *pebble.DefaultComparer
	comparer.Split = func(key []byte) int { return len(key) } // range keys demand one
	opts := &pebble.Options{
		Comparer:           &comparer,
		FormatMajorVersion: pebble.FormatNewest,
		LBaseMaxBytes:      64 << 10,
		MemTableSize:       256 << 10,
	}
	opts.Levels = make([]pebble.LevelOptions, lsm.NumLevels)
	for i := range opts.Levels {
		opts.Levels[i] = pebble.LevelOptions{
			BlockSize: 1 << 10, IndexBlockSize: 256, TargetFileSize: 16 << 10, FilterPolicy: bloom.FilterPolicy(10),
		}
	}
	var compactions atomic.Int32
	compactions.Store(1)
	opts.MaxConcurrentCompactions = func() int { return int(compactions.Load()) }
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	writeRecords(t, db, &compactions)
	require.NoError(t, db.Close())
}

// writeRecords stops compactions before the last flush: they would drop range keys.
func writeRecords(t *testing.T, db *pebble.DB, compactions *atomic.Int32) {
	t.Helper()
	write := func(from, to, round int) {
		for i := from; i < to; i++ {
			key := fmt.Appendf(nil, "key%09d", i*7919%20_000)
			require.NoError(t, db.Set(key, fmt.Appendf(nil, "value %d of round %d", i*i, round), pebble.NoSync))
		}
	}
	write(0, 20_000, 1)
	write(0, 1_000, 2)
	snapshot := db.NewSnapshot() // pins round 2 when round 3 is flushed with it
	write(0, 1_000, 3)
	for i := range 500 {
		require.NoError(t, db.Delete(fmt.Appendf(nil, "key%09d", i*31), pebble.NoSync))
		require.NoError(t, db.DeleteSized(fmt.Appendf(nil, "key%09d", i*37+1), 40, pebble.NoSync))
		require.NoError(t, db.Merge(fmt.Appendf(nil, "merge%09d", i), []byte("operand"), pebble.NoSync))
	}
	require.NoError(t, db.DeleteRange([]byte("key000000100"), []byte("key000000200"), pebble.NoSync))
	require.NoError(t, db.RangeKeySet([]byte("a"), []byte("c"), nil, []byte("v"), pebble.NoSync))
	require.NoError(t, db.RangeKeyUnset([]byte("d"), []byte("e"), nil, pebble.NoSync))
	require.NoError(t, db.RangeKeyDelete([]byte("f"), []byte("g"), pebble.NoSync))
	compactions.Store(0)
	require.NoError(t, db.Flush())
	require.NoError(t, snapshot.Close())
}

// requireVariety makes sure that the comparison would notice a wrong row.
func requireVariety(t *testing.T, levels [lsm.NumLevels]engine.LevelProperties) {
	t.Helper()
	used := 0
	for _, l := range levels {
		if l.Count > 0 {
			used++
		}
	}
	assert.GreaterOrEqual(t, used, 2)
	total := totalOf(levels)
	for _, row := range rows {
		if row.of != nil {
			assert.NotZero(t, *row.of(&total), row.name)
		}
	}
}

func readProperties(t *testing.T, dir string) [lsm.NumLevels]engine.LevelProperties {
	t.Helper()
	cfg, err := pebblev1.Engine.Configure("pebble", nil)
	require.NoError(t, err)
	store, err := pebblev1.Engine.OpenStore(t.Context(), dir, cfg)
	require.NoError(t, err)
	defer store.Close()
	levels, known := store.Properties()
	require.True(t, known, "the tables have no properties")
	return levels
}

// runTool runs the library's `db properties`.
func runTool(t *testing.T, dir string) string {
	t.Helper()
	var out, errs bytes.Buffer
	for _, cmd := range tool.New().Commands {
		if cmd.Name() != "db" {
			continue
		}
		cmd.SetArgs([]string{"properties", dir})
		cmd.SetOut(&out)
		cmd.SetErr(&errs)
		require.NoError(t, cmd.Execute())
	}
	require.LessOrEqual(t, errs.Len(), 0, "the library's tool: %s", errs.String())
	return out.String()
}

// TestPropertiesAsPublished rebuilds the published table from its rounded figures, byte for byte.
func TestPropertiesAsPublished(t *testing.T) {
	want, err := os.ReadFile("testdata/properties_small.log")
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, Write(&got, publishedProperties()))
	assert.Equal(t, string(want), got.String())
}

// publishedProperties are figures that round to those of the published table of the small
// database, totals included.
func publishedProperties() (levels [lsm.NumLevels]engine.LevelProperties) {
	const k, m, g = 1 << 10, 1 << 20, 1 << 30
	mib := func(x float64) uint64 { return uint64(x * m) }
	gib := func(x float64) uint64 { return uint64(x * g) }
	levels[0] = engine.LevelProperties{
		Count: 9, SmallestSeq: 199371028, LargestSeq: 200000009, DataSize: mib(13), DataBlocks: 3877,
		IndexSize: 87 * k, IndexBlocks: 35, TopIndexSize: 632, FilterSize: 124 * k,
		RawKeySize: mib(3.8), RawValueSize: mib(11), Sets: 101_000,
	}
	levels[3] = engine.LevelProperties{
		Count: 21, SmallestSeq: 196422055, LargestSeq: 200000005, DataSize: mib(61), DataBlocks: 17320,
		IndexSize: 398 * k, IndexBlocks: 132, TopIndexSize: 2662, FilterSize: 555 * k,
		RawKeySize: mib(17), RawValueSize: mib(48), Sets: 453_000,
	}
	levels[4] = engine.LevelProperties{
		Count: 114, SmallestSeq: 181350563, LargestSeq: 200000008, DataSize: mib(428), DataBlocks: 119804,
		IndexSize: mib(2.7), IndexBlocks: 859, TopIndexSize: 18 * k, FilterSize: mib(3.8),
		RawKeySize: mib(122), RawValueSize: mib(336), Sets: 3_200_000,
	}
	levels[5] = engine.LevelProperties{
		Count: 396, SmallestSeq: 88089900, LargestSeq: 200000000, DataSize: gib(2.9), DataBlocks: 809514,
		IndexSize: mib(19), IndexBlocks: 5420, TopIndexSize: 121 * k, FilterSize: mib(26),
		RawKeySize: mib(833), RawValueSize: gib(2.2), Sets: 22_000_000,
	}
	levels[6] = engine.LevelProperties{
		Count: 878, LargestSeq: 0, DataSize: gib(19), DataBlocks: 6459564,
		IndexSize: mib(154), IndexBlocks: 40685, TopIndexSize: 970 * k, FilterSize: mib(208),
		RawKeySize: gib(6.5), RawValueSize: gib(17.6), Sets: 174_000_000,
	}
	return levels
}

func TestWriteError(t *testing.T) {
	_, closed := io.Pipe()
	closed.Close()
	assert.ErrorIs(t, Write(closed, [lsm.NumLevels]engine.LevelProperties{}), io.ErrClosedPipe)
}
