package dataset

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
)

// chiSquare returns the chi-square statistic of counts for a uniform distribution, in
// standard deviations from its mean. Uniform counts stay within about 4.
func chiSquare(counts []int) float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	expected := float64(total) / float64(len(counts))
	sum := 0.0
	for _, n := range counts {
		d := float64(n) - expected
		sum += d * d / expected
	}
	freedom := float64(len(counts) - 1)
	// The variance of chi-square is twice its degrees of freedom.
	return (sum - freedom) / math.Sqrt(2*freedom)
}

func requireUniform(t *testing.T, what string, counts []int) {
	t.Helper()
	if d := chiSquare(counts); d > 4 || d < -4 {
		t.Errorf("%s: chi-square is %.1f standard deviations off", what, d)
	}
}

// Consecutive numbers and consecutive seeds must both look random.
func TestDrawIsUniform(t *testing.T) {
	draws := map[string]func(i uint64) uint64{
		"along numbers": func(i uint64) uint64 { return Draw(7, i) },
		"along seeds":   func(i uint64) uint64 { return Draw(i, 7) },
		"along both":    func(i uint64) uint64 { return Draw(i, i) },
		"differences":   func(i uint64) uint64 { return Draw(7, i) ^ Draw(7, i+1) },
		"across seeds":  func(i uint64) uint64 { return Draw(7, i) ^ Draw(8, i) },
	}
	for name, draw := range draws {
		high, low := make([]int, 1024), make([]int, 1024)
		for i := range uint64(200_000) {
			r := draw(i)
			high[r>>54]++
			low[r&1023]++
		}
		requireUniform(t, name+", high bits", high)
		requireUniform(t, name+", low bits", low)
	}
}

// A change of one input bit must change half of the output bits.
func TestDrawAvalanche(t *testing.T) {
	const samples = 4000
	for bit := range 64 {
		numbers, seeds := 0, 0
		for i := range uint64(samples) {
			numbers += bits.OnesCount64(Draw(3, i) ^ Draw(3, i^1<<bit))
			seeds += bits.OnesCount64(Draw(i, 3) ^ Draw(i^1<<bit, 3))
		}
		for what, flipped := range map[string]int{"number": numbers, "seed": seeds} {
			if mean := float64(flipped) / samples; mean < 31.5 || mean > 32.5 {
				t.Errorf("bit %d of the %s flips %.2f bits on average, want 32", bit, what, mean)
			}
		}
	}
}

func TestStreamsOfOneSeedDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(100) {
		for p := forKeys; p <= forOrder; p++ {
			name := fmt.Sprintf("seed %d, purpose %d", seed, p)
			key := newStream(seed, p).key
			if other, ok := seen[key]; ok {
				t.Errorf("%s has the same stream as %s", name, other)
			}
			seen[key] = name
		}
	}
}

func TestBounded(t *testing.T) {
	const top = 1<<64 - 1
	for _, c := range []struct{ r, n, want uint64 }{
		{0, 0, 0}, {top, 0, 0}, {top, 1, 0}, {0, 10, 0}, {top, 10, 9},
		{1 << 63, 10, 5}, {1<<63 - 1, 10, 4}, {top, top, top - 1},
	} {
		assert.Equal(t, c.want, Bounded(c.r, c.n), "Bounded(%d, %d)", c.r, c.n)
	}
	counts := make([]int, 1000)
	for i := range uint64(200_000) {
		counts[Bounded(Draw(1, i), 1000)]++
	}
	requireUniform(t, "bounded draws", counts)
}

func BenchmarkDraw(b *testing.B) {
	b.ReportAllocs()
	var sum uint64
	for i := range uint64(b.N) {
		sum += Bounded(Draw(1, i), 2e10)
	}
	sink = sum
}

// sink keeps benchmarked calls from being optimized away.
var sink uint64
