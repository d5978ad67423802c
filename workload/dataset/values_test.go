package dataset

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var valueKinds = []string{ValuesPool32, ValuesRandom, ValuesAccounts}

func mustValues(t testing.TB, kind string, size int, seed uint64) *Values {
	t.Helper()
	v, err := NewValues(kind, size, seed)
	require.NoError(t, err)
	return v
}

func TestValuesKindAndSize(t *testing.T) {
	for _, kind := range valueKinds {
		if v := mustValues(t, kind, 110, 1); v.Kind() != kind || v.Size() != 110 {
			t.Errorf("%s: kind %q of %d bytes", kind, v.Kind(), v.Size())
		}
	}
}

func forAllValues(t *testing.T, f func(t *testing.T, v *Values)) {
	for _, kind := range valueKinds {
		sizes := []int{1, 2, 7, 8, 9, 15, 16, 17, 110, 4096}
		if kind == ValuesAccounts {
			sizes = []int{AccountSize}
		}
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s/%d", kind, size), func(t *testing.T) {
				f(t, mustValues(t, kind, size, 3))
			})
		}
	}
}

func TestValueAppendsToTheStartOfDst(t *testing.T) {
	forAllValues(t, func(t *testing.T, v *Values) {
		want := v.Value(5, nil)
		require.Len(t, want, v.Size())
		buffer := bytes.Repeat([]byte{0xee}, v.Size()+9)
		if got := v.Value(5, buffer[:4]); !bytes.Equal(got, want) || &got[0] != &buffer[0] {
			t.Errorf("a value in a used buffer is %x, want %x in place", got, want)
		}
		if !bytes.Equal(buffer[v.Size():], bytes.Repeat([]byte{0xee}, 9)) {
			t.Error("bytes after the value were changed")
		}
	})
}

func TestCheckAcceptsOnlyTheValue(t *testing.T) {
	oneGoroutine(t)
	forAllValues(t, func(t *testing.T, v *Values) {
		for i := range uint64(50) {
			value := v.Value(i, nil)
			require.True(t, v.Check(i, value), "value %d is rejected", i)
			if v.Check(i, value[:len(value)-1]) || v.Check(i, append(value, 0)) {
				t.Fatalf("value %d is accepted with another length", i)
			}
			for at := range value {
				value[at] ^= 1
				require.False(t, v.Check(i, value), "value %d is accepted with a wrong byte %d", i, at)
				value[at] ^= 1
			}
		}
	})
}

func TestCheckAcceptsValuesOfRoundsMade(t *testing.T) {
	for _, kind := range valueKinds {
		loaded := mustValues(t, kind, 110, 3)
		updated := loaded.WithUpdates(3)
		for i := range uint64(50) {
			require.Equal(t, loaded.Value(i, nil), loaded.Updated(i, 0, nil), "%s: round 0 is not the load", kind)
			for round := range uint64(6) {
				value := updated.Updated(i, round, nil)
				if got, want := updated.Check(i, value), round <= 3; got != want {
					t.Errorf("%s: after 3 rounds, value %d of round %d accepted: %v", kind, i, round, got)
				}
				if got, want := loaded.Check(i, value), round == 0; got != want {
					t.Errorf("%s: without updates, value %d of round %d accepted: %v", kind, i, round, got)
				}
			}
		}
	}
}

// TestPoolWrapsAround checks that after 31 rounds or more a key may have any value of the pool.
func TestPoolWrapsAround(t *testing.T) {
	for _, rounds := range []uint64{31, 32, 1<<64 - 1} {
		v := mustValues(t, ValuesPool32, 110, 3).WithUpdates(rounds)
		for round := range uint64(64) {
			assert.True(t, v.Check(9, v.Updated(9, round, nil)), "after %d rounds, the value of round %d is rejected", rounds, round)
		}
		assert.False(t, v.Check(9, make([]byte, 110)), "after %d rounds, a value outside the pool is accepted", rounds)
	}
}

func TestPoolUsesAllValuesEqually(t *testing.T) {
	oneGoroutine(t)
	for _, size := range []int{1, 2, 110} {
		v := mustValues(t, ValuesPool32, size, 8)
		number := map[string]int{}
		var counts, pairs [poolSize]int
		last := 0
		for i := range uint64(100_000) {
			value := string(v.Value(i, nil))
			if _, ok := number[value]; !ok {
				number[value] = len(number)
			}
			require.LessOrEqual(t, len(number), poolSize, "%d bytes: more than %d values", size, poolSize)
			n := number[value]
			counts[n]++
			pairs[(n+last)%poolSize]++
			last = n
		}
		requireUniform(t, "values of the pool", counts[:])
		requireUniform(t, "neighbouring values of the pool", pairs[:])
	}
}

func TestValuesCompressionRatio(t *testing.T) {
	oneGoroutine(t)
	for kind, limits := range map[string][2]float64{ValuesRandom: {0.999, 1.01}, ValuesPool32: {0, 0.2}} {
		v := mustValues(t, kind, 110, 3)
		var plain []byte
		for i := range uint64(5000) {
			plain = append(plain, v.Value(i, nil)...)
		}
		packed := new(bytes.Buffer)
		w, err := flate.NewWriter(packed, flate.BestCompression)
		require.NoError(t, err)
		_, err = io.Copy(w, bytes.NewReader(plain))
		require.NoError(t, err)
		w.Close()
		if ratio := float64(packed.Len()) / float64(len(plain)); ratio < limits[0] || ratio > limits[1] {
			t.Errorf("%s values compress to %.3f, want %v", kind, ratio, limits)
		}
	}
}

func TestRandomValuesAreUniformAndDistinct(t *testing.T) {
	v := mustValues(t, ValuesRandom, 13, 3)
	first, last := make([]int, 256), make([]int, 256)
	seen := map[string]bool{}
	for i := range uint64(50_000) {
		for round := range uint64(2) {
			value := v.Updated(i, round, nil)
			first[value[0]]++
			last[value[12]]++
			seen[string(value)] = true
		}
	}
	requireUniform(t, "first byte", first)
	requireUniform(t, "last byte", last)
	assert.Len(t, seen, 100_000)
}

func TestValuesDependOnSeed(t *testing.T) {
	for _, kind := range valueKinds {
		a, b := mustValues(t, kind, 110, 1), mustValues(t, kind, 110, 2)
		for i := range uint64(100) {
			assert.False(t, b.Check(i, a.Value(i, nil)), "%s: value %d is the same for two seeds", kind, i)
		}
	}
}

func TestValuesAllocateNothing(t *testing.T) {
	for _, kind := range valueKinds {
		v := mustValues(t, kind, 110, 1).WithUpdates(2)
		buffer := make([]byte, 0, 110)
		i := uint64(0)
		allocs := testing.AllocsPerRun(1000, func() {
			buffer = v.Value(i, buffer)
			buffer = v.Updated(i, 2, buffer)
			if !v.Check(i, buffer) {
				t.Fatalf("%s: value %d is rejected", kind, i)
			}
			i++
		})
		assert.Zero(t, allocs, kind)
	}
}

func benchmarkValues(b *testing.B, f func(b *testing.B, v *Values)) {
	for _, kind := range valueKinds {
		for _, size := range []int{110, 4096} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(size))
				f(b, mustValues(b, kind, size, 1))
			})
		}
	}
}

func BenchmarkValue(b *testing.B) {
	benchmarkValues(b, func(b *testing.B, v *Values) {
		buffer := make([]byte, 0, v.Size())
		for i := range uint64(b.N) {
			buffer = v.Value(i, buffer)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	benchmarkValues(b, func(b *testing.B, v *Values) {
		value := v.Value(1, nil)
		for range b.N {
			if !v.Check(1, value) {
				b.Fatal("value 1 is rejected")
			}
		}
	})
}

// oneGoroutine skips a test in short mode. The race detector runs in short mode and cannot
// find anything in a test with one goroutine.
func oneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("all of it is in one goroutine")
	}
}
