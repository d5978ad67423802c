package dataset

import (
	"bytes"
	"compress/flate"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeastBytes compresses sorted keys and their values better than any engine does. The result is larger than the
// bound, and for values that do not compress not much larger.
func TestLeastBytes(t *testing.T) {
	const keys = 20_000
	for _, c := range []struct {
		values string
		size   int
		most   float64 // of the bound
	}{
		{ValuesPool32, 110, 1.5},
		{ValuesRandom, 1, 1.4},
		{ValuesRandom, 110, 1.1},
		{ValuesAccounts, AccountSize, 1.2},
	} {
		for _, keyspace := range Keyspaces {
			m := &Manifest{Keys: keys, Keyspace: keyspace, Values: c.values, ValueSize: c.size}
			least := float64(m.LeastBytes())
			packed := float64(packedRecords(t, m))
			assert.Greater(t, packed, least, "%s keys, %s values of %d bytes", keyspace, c.values, c.size)
			assert.Less(t, packed, c.most*least, "%s keys, %s values of %d bytes", keyspace, c.values, c.size)
		}
	}
}

// packedRecords is the size of all records in the order of their keys, compressed as one block. Keys leave out the bytes
// that they share with the one before.
func packedRecords(t *testing.T, m *Manifest) int {
	t.Helper()
	ks, err := m.NewKeyspace()
	require.NoError(t, err)
	values, err := m.NewValues()
	require.NoError(t, err)
	type record struct {
		key   [KeySize]byte
		value []byte
	}
	records := make([]record, m.Keys)
	for i := range records {
		ks.Key(uint64(i), &records[i].key)
		records[i].value = values.Value(uint64(i), nil)
	}
	slices.SortFunc(records, func(a, b record) int { return bytes.Compare(a.key[:], b.key[:]) })
	packed := new(bytes.Buffer)
	w, err := flate.NewWriter(packed, flate.BestCompression)
	require.NoError(t, err)
	var before [KeySize]byte
	for _, r := range records {
		shared := 0
		for r.key[shared] == before[shared] {
			shared++
		}
		_, err = w.Write(slices.Concat(r.key[shared:], r.value))
		require.NoError(t, err)
		before = r.key
	}
	require.NoError(t, w.Close())
	return packed.Len()
}

func TestLeastBytesOfManyKeys(t *testing.T) {
	m := &Manifest{Keys: 100_000_000_000_000, Values: ValuesPool32, ValueSize: 110}
	assert.EqualValues(t, 2_400_000_000_000_000, m.LeastBytes())
	m.Values, m.ValueSize, m.Keys = ValuesRandom, maxValueSize, math.MaxInt64
	assert.EqualValues(t, uint64(math.MaxUint64), m.LeastBytes(), "it does not overflow")
	m.Build = BuildVirtual
	assert.Zero(t, m.LeastBytes())
}
