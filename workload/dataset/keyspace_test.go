package dataset

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mustKeyspace(t testing.TB, kind string, n, seed uint64) Keyspace {
	t.Helper()
	ks, err := NewKeyspace(kind, n, seed)
	require.NoError(t, err)
	return ks
}

func keyOf(ks Keyspace, i uint64) (key [KeySize]byte) {
	ks.Key(i, &key)
	return key
}

func absentOf(ks Keyspace, r uint64) (key [KeySize]byte) {
	ks.Absent(r, &key)
	return key
}

func TestKeyspaceKindAndSizes(t *testing.T) {
	for _, kind := range []string{KeyspaceKeccak, KeyspaceStratified} {
		ks := mustKeyspace(t, kind, 12, 1)
		if ks.Kind() != kind || ks.Len() != 12 {
			t.Errorf("%s: kind %q, %d keys", kind, ks.Kind(), ks.Len())
		}
	}
}

// TestKeysAreDistinctAndAbsentKeysAbsent uses small key spaces, where absent keys hit the
// same buckets often.
func TestKeysAreDistinctAndAbsentKeysAbsent(t *testing.T) {
	oneGoroutine(t)
	for _, kind := range []string{KeyspaceKeccak, KeyspaceStratified} {
		for _, n := range []uint64{1, 2, 3, 7, 256, 1000} {
			ks := mustKeyspace(t, kind, n, 5)
			written := map[[KeySize]byte]bool{}
			for i := range n {
				written[keyOf(ks, i)] = true
			}
			assert.Len(t, written, int(n), kind)
			absent := map[[KeySize]byte]bool{}
			for r := range uint64(2000) {
				for _, r := range []uint64{r, r << 52, ^r} {
					absent[absentOf(ks, r)] = true
					if written[absentOf(ks, r)] {
						t.Errorf("%s, n %d: absent key %d exists", kind, n, r)
					}
				}
			}
			// r and r<<52 are both 0 for r = 0, and r<<52 repeats every 4096.
			assert.Len(t, absent, 3*2000-1, "%s, n %d", kind, n)
		}
	}
}

func TestKeccakAbsentKeysHashUnusedNumbers(t *testing.T) {
	ks := newKeccak(10)
	for _, r := range []uint64{0, 5, 1 << 63, 1<<63 + 5} {
		assert.Equal(t, keyOf(ks, 1<<63|r), absentOf(ks, r), "absent key %d is not the hash of %d", r, 1<<63|r)
	}
}

// AllocsPerRun rounds the average down. That hides the hashers that the pool sometimes
// drops; under the race detector, it drops every fourth on purpose.
func TestKeysAllocateNothing(t *testing.T) {
	for _, kind := range []string{KeyspaceKeccak, KeyspaceStratified} {
		ks := mustKeyspace(t, kind, 2e10, 5)
		key := new([KeySize]byte)
		i := uint64(0)
		for name, f := range map[string]func(Keyspace, uint64, *[KeySize]byte){"Key": Keyspace.Key, "Absent": Keyspace.Absent} {
			allocs := testing.AllocsPerRun(1000, func() {
				f(ks, i, key)
				i++
			})
			assert.EqualValues(t, 0, allocs, "%s: allocations per %s", kind, name)
		}
	}
}

// TestKeyspaceIsSafeForConcurrentUse is for the race detector.
func TestKeyspaceIsSafeForConcurrentUse(t *testing.T) {
	for _, kind := range []string{KeyspaceKeccak, KeyspaceStratified} {
		ks := mustKeyspace(t, kind, 1000, 5)
		want := keyOf(ks, 17)
		t.Run(kind, func(t *testing.T) {
			for range 4 {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					for i := range uint64(1000) {
						keyOf(ks, i)
						absentOf(ks, i)
						require.Equal(t, want, keyOf(ks, 17))
					}
				})
			}
		})
	}
}

func benchmarkKeys(b *testing.B, kind string, f func(ks Keyspace, i uint64, key *[KeySize]byte)) {
	ks := mustKeyspace(b, kind, 2e10, 1)
	key := new([KeySize]byte)
	b.ReportAllocs()
	for i := range uint64(b.N) {
		f(ks, i, key)
	}
}

func BenchmarkKey(b *testing.B) {
	for _, kind := range []string{KeyspaceKeccak, KeyspaceStratified} {
		b.Run(kind, func(b *testing.B) { benchmarkKeys(b, kind, Keyspace.Key) })
	}
}

func BenchmarkAbsent(b *testing.B) {
	for _, kind := range []string{KeyspaceKeccak, KeyspaceStratified} {
		b.Run(kind, func(b *testing.B) { benchmarkKeys(b, kind, Keyspace.Absent) })
	}
}
