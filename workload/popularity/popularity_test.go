package popularity

import (
	"math"
	"testing"

	"getio/workload/dataset"
)

func TestCheckRejectsInvalidPopularities(t *testing.T) {
	for _, p := range []Popularity{
		{Zipf: -1}, {Zipf: 10.5}, {Zipf: math.NaN()}, {Zipf: math.Inf(1)},
		{Hotset: Hotset{Keys: 0, Gets: 0.5}}, {Hotset: Hotset{Keys: 1, Gets: 0.5}}, {Hotset: Hotset{Keys: math.NaN(), Gets: 0.5}},
		{Hotset: Hotset{Keys: 0.1, Gets: -0.1}}, {Hotset: Hotset{Keys: 0.1, Gets: 1.1}}, {Hotset: Hotset{Keys: 0.1, Gets: math.NaN()}},
		{Zipf: 1, Hotset: Hotset{Keys: 0.1, Gets: 0.9}},
	} {
		if err := p.Check(); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	for _, p := range []Popularity{{}, {Zipf: 0.99}, {Zipf: 10}, {Hotset: Hotset{Keys: 0.01, Gets: 0.9}}, {Hotset: Hotset{Keys: 0.01, Gets: 1}}} {
		if err := p.Check(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// counts draws numbers and counts how often each occurs.
func counts(t *testing.T, p Popularity, n, seed uint64, draws int) []float64 {
	t.Helper()
	d, counts := p.Of(n, seed), make([]float64, n)
	for i := range draws {
		number := d.Number(dataset.Draw(99, uint64(i)))
		if number >= n {
			t.Fatalf("%v of %d keys: number %d", p, n, number)
		}
		counts[number]++
	}
	return counts
}

// TestZipfFrequenciesFollowRanks compares the frequencies of ranked keys with the definition
// of the distribution.
func TestZipfFrequenciesFollowRanks(t *testing.T) {
	const n, draws = 1000, 1_000_000
	for _, s := range []float64{0.5, 0.99, 1.2} {
		got, order := counts(t, Popularity{Zipf: s}, n, 7, draws), dataset.NewPermutation(n, 7)
		total := 0.0
		for k := range n {
			total += math.Pow(float64(k+1), -s)
		}
		for k := range uint64(n) {
			want := draws * math.Pow(float64(k+1), -s) / total
			if off := math.Abs(got[order.Of(k)] - want); off > 6*math.Sqrt(want)+0.002*want {
				t.Errorf("exponent %v: rank %d drawn %.0f times, want %.0f", s, k, got[order.Of(k)], want)
			}
		}
	}
}

// TestHotsetShares checks that keys are uniform within the hot set and outside it.
func TestHotsetShares(t *testing.T) {
	const n, draws = 500, 1_000_000
	for _, h := range []Hotset{{0.02, 0.9}, {0.5, 0.5}, {0.1, 0}, {0.1, 1}, {0.0001, 0.3}, {0.9999, 0.3}} {
		got, order := counts(t, Popularity{Hotset: h}, n, 3, draws), dataset.NewPermutation(n, 3)
		hot := min(max(math.Round(h.Keys*n), 1), n-1)
		for k := range uint64(n) {
			want := draws * (1 - h.Gets) / (n - hot)
			if float64(k) < hot {
				want = draws * h.Gets / hot
			}
			if off := math.Abs(got[order.Of(k)] - want); off > 6*math.Sqrt(want) {
				t.Errorf("%+v: rank %d drawn %.0f times, want %.0f", h, k, got[order.Of(k)], want)
			}
		}
	}
}

// TestNumbersDependOnSeed checks that equal seeds repeat and that other seeds differ.
func TestNumbersDependOnSeed(t *testing.T) {
	p := Popularity{Zipf: 1}
	a, b, other := p.Of(1<<40, 1), p.Of(1<<40, 1), p.Of(1<<40, 2)
	same := 0
	for i := range uint64(1000) {
		if a.Number(i) != b.Number(i) {
			t.Fatalf("draw %d differs", i)
		}
		if a.Number(i) == other.Number(i) {
			same++
		}
	}
	if same > 5 {
		t.Errorf("%d of 1000 draws are equal for two seeds", same)
	}
}

func TestOneKeyIsAlwaysDrawn(t *testing.T) {
	for _, p := range []Popularity{{}, {Zipf: 2}, {Hotset: Hotset{0.5, 0.9}}} {
		if n := p.Of(1, 5).Number(9); n != 0 {
			t.Errorf("%v: number %d of one key", p, n)
		}
	}
}

func TestDrawingAllocatesNothing(t *testing.T) {
	d, seed := Popularity{Zipf: 0.99}.Of(1<<30, 1), uint64(0)
	if n := testing.AllocsPerRun(1000, func() { seed++; d.Number(seed) }); n > 0 {
		t.Errorf("%v allocations per key", n)
	}
}
