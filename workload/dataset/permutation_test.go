package dataset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func requireBijection(t *testing.T, n, seed uint64) {
	t.Helper()
	p := newPermutation(n, newStream(seed, forOrder))
	seen := make([]bool, n)
	for pos := range n {
		index := p.Of(pos)
		if index >= n || seen[index] {
			t.Fatalf("n %d, seed %d: position %d maps to %d, which is out of range or a duplicate", n, seed, pos, index)
		}
		seen[index] = true
	}
}

func TestPermutationIsABijection(t *testing.T) {
	for n := uint64(1); n <= 300; n++ {
		for seed := range uint64(5) {
			requireBijection(t, n, seed)
		}
	}
	for power := 9; power <= 16; power++ {
		for _, n := range []uint64{1<<power - 1, 1 << power, 1<<power + 1} {
			requireBijection(t, n, 7)
		}
	}
}

// TestPermutationStepCanBeUndone covers domains that are too large to enumerate.
func TestPermutationStepCanBeUndone(t *testing.T) {
	for _, n := range []uint64{2, 3, 1000, 2e10, 1 << 40, 1<<63 + 1, 1<<64 - 1} {
		p := newPermutation(n, newStream(3, forOrder))
		for i := range uint64(10_000) {
			x := Draw(1, i) & (p.highMask<<p.lowBits | p.lowMask)
			require.Equal(t, x, unstep(p, p.step(x)), "n %d", n)
		}
	}
}

func unstep(p *Permutation, x uint64) uint64 {
	low, high := x&p.lowMask, x>>p.lowBits
	for round := feistelRounds - 2; round >= 0; round -= 2 {
		high ^= scramble(low, p.keys[round+1]) & p.highMask
		low ^= scramble(high, p.keys[round]) & p.lowMask
	}
	return high<<p.lowBits | low
}

// stretch is the number of consecutive positions in a test of randomness.
const stretch = 100_000

// TestPermutationLooksRandom checks that the images of consecutive positions are spread
// evenly over the range and do not correlate.
func TestPermutationLooksRandom(t *testing.T) {
	oneGoroutine(t)
	for _, n := range []uint64{1 << 17, 1<<17 + 1, 3e6, 2e10, 1<<64 - 1} {
		for _, from := range []uint64{0, n / 8, n - stretch} {
			requireRandomStretch(t, newPermutation(n, newStream(n, forOrder)), from)
		}
	}
}

func requireRandomStretch(t *testing.T, p *Permutation, from uint64) {
	t.Helper()
	width := p.n/128 + 1
	places, pairs := make([]int, 128), make([]int, 256)
	ascents := 0
	for pos := from; pos < from+stretch-1; pos++ {
		a, b := p.Of(pos), p.Of(pos+1)
		places[a/width]++
		pairs[a/(p.n/16+1)*16+b/(p.n/16+1)]++
		if a < b {
			ascents++
		}
	}
	// A sample of a large part of the range is more even than chance.
	if d := chiSquare(places); d > 4 {
		t.Errorf("n %d from %d: images are %.1f standard deviations off", p.n, from, d)
	}
	if d := chiSquare(pairs); d > 4 {
		t.Errorf("n %d from %d: neighbours are %.1f standard deviations off", p.n, from, d)
	}
	// The number of ascents has a variance of stretch/12.
	if ascents < stretch/2-400 || ascents > stretch/2+400 {
		t.Errorf("n %d from %d: %d ascents in %d steps", p.n, from, ascents, stretch)
	}
}

func BenchmarkPermutationIndex(b *testing.B) {
	p := newPermutation(2e10, newStream(1, forOrder))
	b.ReportAllocs()
	var sum uint64
	for i := range uint64(b.N) {
		sum += p.Of(i)
	}
	sink = sum
}
