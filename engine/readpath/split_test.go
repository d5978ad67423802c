package readpath

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplitLikeKeepsTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 1000 {
		a := Accesses{Probed: r.Int64N(1_000_000)}
		a.Count[Data] = a.Probed
		a.Count[Index] = r.Int64N(1_000_000)
		a.Count[Filter], a.Count[TopIndex], a.Count[TableOpen] = 7, 8, 9
		sample := Accesses{Probed: 1 + r.Int64N(50_000)}
		for _, c := range []Component{Index, Data, Other} {
			sample.Count[c] = r.Int64N(50_000)
		}
		got := a.SplitLike(sample)
		require.Equal(t, a.Rest(), got.Rest())
		for c, n := range got.Count {
			if n < 0 {
				t.Fatalf("%d accesses of %s: %+v split like %+v", n, Component(c), a, sample)
			}
		}
		if got.Count[Filter] != 7 || got.Count[TopIndex] != 8 || got.Count[TableOpen] != 9 {
			t.Fatalf("other components changed: %+v", got)
		}
	}
}

func TestSplitLikeUsesDataBlocksPerProbeOfSample(t *testing.T) {
	a := Accesses{Probed: 1_000_000}
	a.Count[Data], a.Count[Index] = 1_000_000, 1_003_000
	sample := Accesses{Probed: 10_000}
	sample.Count[Data], sample.Count[Index] = 10_020, 10_010
	got := a.SplitLike(sample)
	if got.Count[Data] != 1_002_000 || got.Count[Index] != 1_001_000 {
		t.Errorf("data %d, index %d", got.Count[Data], got.Count[Index])
	}
	assert.False(t, got.SplitExact, "a split taken from a sample is marked exact")
}

func TestSplitLikeIgnoresEmptySampleAndKeepsExactSplit(t *testing.T) {
	a := Accesses{Probed: 10, SplitExact: true}
	a.Count[Data], a.Count[Index] = 10, 4
	sample := Accesses{Probed: 5}
	sample.Count[Data] = 10
	assert.Equal(t, a, a.SplitLike(sample))
	a.SplitExact = false
	for _, empty := range []Accesses{{}, {Probed: 5}, {Count: sample.Count}} {
		assert.Equal(t, a, a.SplitLike(empty))
	}
}

func TestSplitIndexLike(t *testing.T) {
	a := Accesses{}
	a.Count[TopIndex], a.Count[Data], a.Count[Index] = 2_000_000, 1, 7_999_999
	sample := Accesses{}
	sample.Count[TopIndex], sample.Count[Index], sample.Count[Data], sample.Count[Other] = 20_000, 1_000, 98_800, 200
	got := a.SplitIndexLike(sample)
	if got.Count[Index] != 100_000 || got.Count[Other] != 16_000 || got.Rest() != a.Rest() {
		t.Errorf("index and data accesses %d and %d, other %d", got.Count[Index], got.Count[Data], got.Count[Other])
	}
	a.SplitExact = true
	assert.Equal(t, a, a.SplitIndexLike(sample))
	a.SplitExact = false
	assert.Equal(t, a, a.SplitIndexLike(Accesses{}))
	sample.Count[Index] = 1 << 40
	if got := a.SplitIndexLike(sample); got.Count[Data] != 0 || got.Rest() != a.Rest() {
		t.Errorf("more index blocks than accesses: %+v", got)
	}
}
