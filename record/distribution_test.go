package record

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDistributionIsThatOfTheGets: the percentiles are those of the sorted list of reads.
func TestDistributionIsThatOfTheGets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		reads := make([]int, 1+r.IntN(4_000))
		histogram := make([]int64, 1+slices.Max(fill(reads, r)))
		var sum int64
		for _, n := range reads {
			histogram[n]++
			sum += int64(n)
		}
		slices.Sort(reads)
		nearest := func(of1000 int) int { return reads[(len(reads)*of1000+999)/1000-1] }
		want := &Distribution{
			Histogram: histogram, P50: nearest(500), P90: nearest(900), P99: nearest(990), P999: nearest(999),
			Max: reads[len(reads)-1], UnattributedReads: 3,
		}
		d := NewDistribution(slices.Clone(histogram), 3)
		require.Equal(t, want, d, "of %d Gets", len(reads))
		if d.Gets() != int64(len(reads)) || d.Reads() != sum {
			t.Fatalf("%d Gets and %d reads, want %d and %d", d.Gets(), d.Reads(), len(reads), sum)
		}
		at := r.IntN(d.Max + 2)
		first, _ := slices.BinarySearch(reads, at)
		if want := float64(len(reads)-first) / float64(len(reads)); d.AtLeast(at) != want {
			t.Fatalf("%v of the Gets make %d reads or more, want %v", d.AtLeast(at), at, want)
		}
	}
}

// fill draws the reads of each Get: mostly few, sometimes many.
func fill(reads []int, r *rand.Rand) []int {
	for i := range reads {
		reads[i] = r.IntN(3)
		if r.IntN(100) == 0 {
			reads[i] = r.IntN(50)
		}
	}
	return reads
}

// TestPercentilesOfManyGets do not overflow.
func TestPercentilesOfManyGets(t *testing.T) {
	const many = 1 << 60
	if d := NewDistribution([]int64{many, many / 1000}, 0); d.P50 != 0 || d.P999 != 0 || d.Max != 1 {
		t.Errorf("%+v", d)
	}
}
