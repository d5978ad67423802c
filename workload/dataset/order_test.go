package dataset

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// orders returns every order over n keys. The keccak key order takes several passes.
func orders(t testing.TB, n uint64) map[string]Order {
	t.Helper()
	all := map[string]Order{}
	for _, space := range []string{KeyspaceKeccak, KeyspaceStratified} {
		for _, kind := range []string{OrderRandom, OrderSequential} {
			o, err := NewOrder(kind, mustKeyspace(t, space, n, 4), 4)
			require.NoError(t, err)
			all[space+"/"+kind] = o
		}
	}
	all["keccak/sequential in passes"] = &keyOrder{mustKeyspace(t, KeyspaceKeccak, n, 4), 7}
	return all
}

// indexes returns the key numbers that Range yields. It requires the positions from..to-1 in order.
func indexes(t *testing.T, o Order, from, to uint64) (got []uint64) {
	t.Helper()
	next := from
	err := o.Range(context.Background(), from, to, func(pos, index uint64) bool {
		require.Equal(t, next, pos)
		next++
		got = append(got, index)
		return true
	})
	require.NoError(t, err)
	require.Equal(t, to, next)
	return got
}

func TestOrderIsABijection(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 100, 3000} {
		for name, o := range orders(t, n) {
			all := indexes(t, o, 0, n)
			slices.Sort(all)
			for i, index := range all {
				assert.Equal(t, uint64(i), index, "%s, %d keys, place %d", name, n, i)
			}
		}
	}
}

func TestRandomOrder(t *testing.T) {
	all := orders(t, 3000)
	published := indexes(t, all["keccak/random"], 0, 3000)
	assert.True(t, slices.IsSorted(published), "random order of keccak keys is not by number")
	if shuffled := indexes(t, all["stratified/random"], 0, 3000); slices.IsSorted(shuffled[:10]) {
		t.Errorf("stratified keys are not shuffled: %d", shuffled[:10])
	}
}

func TestSequentialOrderAscends(t *testing.T) {
	const n = 3000
	for name, o := range orders(t, n) {
		if !strings.Contains(name, OrderSequential) {
			continue
		}
		space, _, _ := strings.Cut(name, "/")
		ks := mustKeyspace(t, space, n, 4)
		ascending := slices.IsSortedFunc(indexes(t, o, 0, n), func(a, b uint64) int {
			x, y := keyOf(ks, a), keyOf(ks, b)
			return slices.Compare(x[:], y[:])
		})
		assert.True(t, ascending, "%s: keys do not ascend", name)
	}
}

func TestOrderResumes(t *testing.T) {
	const n = 500
	rng := rand.New(rand.NewPCG(1, 1))
	for name, o := range orders(t, n) {
		all := indexes(t, o, 0, n)
		ranges := [][2]uint64{{0, 0}, {n, n}, {n - 1, n}, {0, 1}}
		for range 50 {
			from := rng.Uint64N(n + 1)
			ranges = append(ranges, [2]uint64{from, from + rng.Uint64N(n+1-from)})
		}
		for _, r := range ranges {
			if got := indexes(t, o, r[0], r[1]); !slices.Equal(got, all[r[0]:r[1]]) {
				t.Errorf("%s: positions %d to %d differ from the full range", name, r[0], r[1])
			}
		}
	}
}

func TestOrderStopsWhenYieldReturnsFalse(t *testing.T) {
	for name, o := range orders(t, 100) {
		calls := 0
		err := o.Range(context.Background(), 3, 90, func(pos, index uint64) bool {
			calls++
			return pos < 10
		})
		if err != nil || calls != 8 {
			t.Errorf("%s: %d calls and error %v, want 8 and none", name, calls, err)
		}
	}
}

func TestOrderRejectsPositionsBeyondItsEnd(t *testing.T) {
	for name, o := range orders(t, 100) {
		for _, r := range [][2]uint64{{0, 101}, {50, 49}, {101, 101}} {
			err := o.Range(context.Background(), r[0], r[1], func(pos, index uint64) bool {
				t.Errorf("%s: position %d of %d to %d", name, pos, r[0], r[1])
				return false
			})
			assert.ErrorContains(t, err, "not within the order's 0 to 100")
		}
	}
}

func TestOrderStopsWhenContextIsDone(t *testing.T) {
	const n = 3 * pollEvery
	for name, o := range orders(t, n) {
		for _, from := range []uint64{0, 1} {
			cause, cancel := context.WithCancel(context.Background())
			calls := 0
			err := o.Range(cause, from, n, func(pos, index uint64) bool {
				cancel()
				calls++
				return true
			})
			if !errors.Is(err, context.Canceled) || calls > pollEvery {
				t.Errorf("%s: error %v after %d calls", name, err, calls)
			}
			if err := o.Range(cause, from, n, func(pos, index uint64) bool { return true }); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v with a cancelled context", name, err)
			}
		}
	}
}

func TestKeyOrderPassCount(t *testing.T) {
	for n, want := range map[uint64]uint64{1: 1, passKeys - 1: 1, passKeys: 2, 2e8: 12} {
		assert.Equal(t, want, newKeyOrder(newKeccak(n)).passes, "passes over %d keys", n)
	}
}

// TestKeyOrderBreaksTies sorts keys whose first 64 bits are equal.
func TestKeyOrderBreaksTies(t *testing.T) {
	o := newKeyOrder(tied{100})
	if got := indexes(t, o, 0, 100); !slices.IsSortedFunc(got, func(a, b uint64) int { return int(b) - int(a) }) {
		t.Errorf("tied keys are sorted as %d", got)
	}
}

// tied is a key space whose keys differ only in their last byte, which descends by number.
type tied struct{ n uint64 }

func (t tied) Kind() string                     { return "tied" }
func (t tied) Len() uint64                      { return t.n }
func (t tied) Key(i uint64, dst *[KeySize]byte) { *dst = [KeySize]byte{31: byte(t.n - i)} }
func (t tied) Absent(r uint64, dst *[KeySize]byte) {
	*dst = [KeySize]byte{0: 1}
}

func BenchmarkOrderRange(b *testing.B) {
	for name, o := range orders(b, 1<<18) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				err := o.Range(b.Context(), 0, 1<<18, func(pos, index uint64) bool {
					sink += index
					return true
				})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<18), "ns/key")
		})
	}
}
