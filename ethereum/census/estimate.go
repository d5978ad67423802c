package census

import (
	"context"
	"math"
	"math/rand/v2"

	"getio/engine"
	"getio/ethereum/chaindata"
)

// Estimate is the estimated tally of a category, with standard errors.
type Estimate struct {
	Tally
	KeysError, BytesError float64 // of keys, and of key and value bytes together
}

// Estimates holds the categories found in the sample, and their total.
type Estimates struct {
	Categories map[chaindata.Category]Estimate
	Total      Estimate
}

// Sample estimates the tallies from n random ranges of keys, of those into which the tables
// divide the key space. The ranges include keys that only the write-ahead log holds.
func Sample(ctx context.Context, db engine.Ordered, s engine.Sampler, n int64, seed uint64, progress func(ranges int64)) (*Estimates, error) {
	var total moments
	sums := map[chaindata.Category]moments{}
	of := int64(s.Ranges())
	for i, number := range draw(of, n, seed) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first, last, err := s.Range(uint64(number))
		if err != nil {
			return nil, err
		}
		tallies := Tallies{}
		if err := count(ctx, db, first, last, tallies, func(int64) {}); err != nil {
			return nil, err
		}
		for category, tally := range tallies {
			sum := sums[category]
			sum.add(tally)
			sums[category] = sum
		}
		total.add(tallies.Total())
		if progress != nil {
			progress(int64(i + 1))
		}
	}
	estimates := &Estimates{Categories: map[chaindata.Category]Estimate{}, Total: total.estimate(float64(n), float64(of))}
	for category, m := range sums {
		estimates.Categories[category] = m.estimate(float64(n), float64(of))
	}
	return estimates, nil
}

// draw returns n distinct numbers below of, in random order (Floyd's algorithm: Bentley,
// CACM 30(9), 1987).
func draw(of, n int64, seed uint64) []int64 {
	random := rand.New(rand.NewPCG(seed, 0))
	drawn := make(map[int64]bool, n)
	list := make([]int64, 0, n)
	for top := of - n; top < of; top++ {
		number := random.Int64N(top + 1)
		if drawn[number] {
			number = top
		}
		drawn[number] = true
		list = append(list, number)
	}
	return list
}

// moments sums tallies over ranges.
type moments struct {
	sum                       Tally
	squaredKeys, squaredBytes float64
}

func (m *moments) add(t Tally) {
	m.sum.add(t)
	keys, bytes := float64(t.Keys), float64(t.KeyBytes+t.ValueBytes)
	m.squaredKeys += keys * keys
	m.squaredBytes += bytes * bytes
}

// estimate scales n ranges, drawn without replacement, up to all of them.
func (m moments) estimate(n, of float64) Estimate {
	scaled := func(x int64) int64 { return int64(math.Round(float64(x) / n * of)) }
	off := func(sum, squares float64) float64 {
		if n < 2 {
			return math.Inf(1)
		}
		variance := (squares - sum*sum/n) / (n - 1)
		return of * math.Sqrt(max(variance, 0)/n*(1-n/of))
	}
	return Estimate{
		Tally:      Tally{scaled(m.sum.Keys), scaled(m.sum.KeyBytes), scaled(m.sum.ValueBytes)},
		KeysError:  off(float64(m.sum.Keys), m.squaredKeys),
		BytesError: off(float64(m.sum.KeyBytes+m.sum.ValueBytes), m.squaredBytes),
	}
}
