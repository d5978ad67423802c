package growth

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
)

func TestTreesOfAnySize(t *testing.T) {
	sizes := []uint64{1, 2, 3, 10, 999, 123_456, 1_000_000, 2_000_000_000, 20_000_000_000, MaxKeys}
	for n := 1.0; n < MaxKeys; n *= 1.37 {
		sizes = append(sizes, uint64(n))
	}
	for i, keys := range sizes {
		o := BenchKVDB()
		o.Seed = uint64(i)
		s, err := Shape(keys, o)
		require.NoError(t, err, "%d keys", keys)
		requireTree(t, s, keys)
	}
}

func TestPublishedTreesAreValid(t *testing.T) {
	for name, keys := range map[string]uint64{"small": 200e6, "medium": 2e9, "large": 20e9} {
		s, err := Published(name, 1)
		require.NoError(t, err)
		requireTree(t, s, keys)
	}
	_, err := Published("huge", 1)
	assert.Error(t, err, "accepted an unknown tree name")
}

func TestImpossibleTrees(t *testing.T) {
	whole := BenchKVDB()
	for _, keys := range []uint64{0, MaxKeys + 1} {
		_, err := Shape(keys, whole)
		assert.Error(t, err, "%d keys: no error", keys)
	}
	for _, spoil := range []func(*Options){
		func(o *Options) { o.UpperRecord = 0 },
		func(o *Options) { o.LastRecord = math.NaN() },
		func(o *Options) { o.RawRecord = 0 },
		func(o *Options) { o.LBaseMaxBytes = 0 },
		func(o *Options) { o.MemTableSize = -1 },
		func(o *Options) { o.TargetFileSize[6] = 0 },
	} {
		o := whole
		spoil(&o)
		_, err := Shape(1000, o)
		assert.Error(t, err, "%+v: no error", o)
	}
}

// requireTree checks the invariants of a tree.
func requireTree(t *testing.T, s *lsm.Shape, keys uint64) {
	t.Helper()
	assert.Equal(t, int64(keys), s.Total().Records, "%d keys", keys)
	for _, l := range s.Levels {
		last := map[int]lsm.Key{}
		for i, table := range l.TableList {
			if len(table.Smallest) != 8 || len(table.Largest) != 8 {
				t.Fatalf("%d keys, L%d, table %d: bounds %v to %v", keys, l.Level, i, table.Smallest, table.Largest)
			}
			before, known := last[table.Sublevel]
			if known && bytes.Compare(before, table.Smallest) >= 0 {
				t.Fatalf("%d keys, L%d, table %d begins at %v, the one before ends at %v", keys, l.Level, i, table.Smallest, before)
			}
			last[table.Sublevel] = table.Largest
			room := binary.BigEndian.Uint64(table.Largest) - binary.BigEndian.Uint64(table.Smallest)
			if table.Records < 1 || uint64(table.Records-1) > room {
				t.Fatalf("%d keys, L%d, table %d: %d records from %v to %v", keys, l.Level, i, table.Records, table.Smallest, table.Largest)
			}
		}
	}
}
