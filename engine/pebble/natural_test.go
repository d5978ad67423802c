package pebble_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
)

// natural compares the tables that the database's flushes and compactions wrote, byte by
// byte, with tables that NewTable writes of the same records.
func (s builderSuite) natural(t *testing.T, n naturalTree) {
	cfg, err := s.Engine.Configure(n.Preset, n.Options)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "db")
	loadMixed(t, s.Engine, dir, cfg, 15_000)
	shape := s.withLevels(t, dir, cfg, n.Levels)
	form, err := s.Engine.TableOptions(cfg)
	require.NoError(t, err)

	twoLevel := false
	for _, l := range shape.Levels {
		own := 0
		for _, table := range l.TableList {
			twoLevel = twoLevel || table.IndexBlocks > 1
			path := s.Engine.TablePath(dir, table.File)
			if at := s.rewritten(t, cfg, form, path, l.Level); at == l.Level {
				own++
			} else if at < 0 {
				t.Errorf("%s of L%d (%d bytes, %d records) is not what NewTable writes", path, l.Level, table.Bytes, table.Records)
			}
		}
		assert.NotZero(t, own, "L%d: none of %d tables was written there", l.Level, len(l.TableList))
		t.Logf("L%d: %d tables of %d records, %d of them in the form of this level", l.Level, l.Tables, l.Records, own)
	}
	assert.Equal(t, n.TwoLevel, twoLevel)
}

// withLevels opens the tree once it has tables in the wanted levels. A settled tree may have any
// number of tables in L0 that is not due for compaction, even none; then more records are written.
func (s builderSuite) withLevels(t *testing.T, dir string, cfg engine.Config, want []int) *lsm.Shape {
	t.Helper()
	for more := range uint64(5) {
		shape := s.shape(t, dir, cfg)
		var levels []int
		for _, l := range shape.Levels {
			levels = append(levels, l.Level)
		}
		missing := func(level int) bool { return !slices.Contains(levels, level) }
		if !slices.ContainsFunc(want, missing) {
			return shape
		}
		t.Logf("tables in %v, wanted in %v", levels, want)
		l, err := s.Engine.Resume(dir, cfg)
		require.NoError(t, err)
		writeMixed(t, l, rand.New(rand.NewPCG(3, more)), 150)
		require.NoError(t, l.Close())
	}
	t.Fatal("these levels stay empty")
	return nil
}

// rewritten returns the level for which NewTable writes the same bytes, or -1. A table that
// the database moved down keeps the options of the level that it was written for, which
// matters where the levels' filters differ.
func (s builderSuite) rewritten(t *testing.T, cfg engine.Config, form engine.TableOptions, path string, level int) int {
	t.Helper()
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	all, err := records(path)
	require.NoError(t, err)
	for at := level; at >= 0; at-- {
		if at < level && form.BloomBits[at] == form.BloomBits[at+1] {
			continue
		}
		copied := filepath.Join(t.TempDir(), "copy.sst")
		w, err := s.Engine.NewTable(copied, cfg, at)
		require.NoError(t, err)
		for _, r := range all {
			require.NoError(t, w.Set(r.Key, r.Seq, r.Value))
		}
		require.NoError(t, w.Close())
		got, err := os.ReadFile(copied)
		require.NoError(t, err)
		if bytes.Equal(got, want) {
			return at
		}
	}
	return -1
}

// loadMixed writes records in three rounds, the last one small.
func loadMixed(t *testing.T, e engine.Engine, dir string, cfg engine.Config, n int) {
	t.Helper()
	l, err := e.Create(dir, cfg)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for _, round := range []int{n / 2, n / 2, n / 100} {
		writeMixed(t, l, random, round)
	}
	require.NoError(t, l.Close())
}

// writeMixed writes keys of several lengths, some with long common prefixes, some overwritten.
// Values compress well, badly or not at all and are empty to several blocks long.
func writeMixed(t *testing.T, l engine.Loader, random *rand.Rand, n int) {
	t.Helper()
	b := l.NewBatch()
	for range n {
		require.NoError(t, b.Set(mixedKey(random), mixedValue(random)))
		if random.IntN(100) == 0 {
			require.NoError(t, b.Commit())
		}
	}
	require.NoError(t, b.Commit())
	require.NoError(t, b.Close())
	require.NoError(t, l.Settle(context.Background(), nil))
}

func mixedKey(random *rand.Rand) []byte {
	switch n := random.Uint64N(1 << 18); random.IntN(4) {
	case 0:
		return fmt.Appendf(nil, "account/%06d/balance", n)
	case 1:
		return binary.BigEndian.AppendUint64([]byte("h"), n*0x9e3779b97f4a7c15)
	default:
		key := make([]byte, 32)
		for i := range key {
			key[i] = byte(random.Uint32())
		}
		return key
	}
}

func mixedValue(random *rand.Rand) []byte {
	n := random.IntN(300)
	if random.IntN(500) == 0 {
		n = random.IntN(20_000)
	}
	value := make([]byte, n)
	same := random.IntN(4) // quarters of the value that repeat one byte
	for i := n * same / 4; i < n; i++ {
		value[i] = byte(random.Uint32())
	}
	return value
}
