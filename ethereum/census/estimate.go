package census

import (
	"context"
	"math"
	"math/rand/v2"

	"getio/engine"
	"getio/record"
)

// Sample estimates the tallies, and their total, from n random ranges of keys, of those into
// which the tables divide the key space. The ranges include keys that only the write-ahead log
// holds. progress, if not nil, is called after each range.
func Sample(ctx context.Context, db engine.Ordered, s engine.Sampler, n int64, seed uint64, progress func(ranges int64)) (estimates Tallies, all record.CategoryTally, err error) {
	var whole moments
	sums := map[string]moments{}
	of := int64(s.Ranges())
	for i, number := range draw(of, n, seed) {
		if err := ctx.Err(); err != nil {
			return nil, all, err
		}
		first, last, err := s.Range(uint64(number))
		if err != nil {
			return nil, all, err
		}
		tallies := Tallies{}
		if err := count(ctx, db, first, last, tallies, func(int64) {}); err != nil {
			return nil, all, err
		}
		for category, tally := range tallies {
			sum := sums[category]
			sum.add(tally)
			sums[category] = sum
		}
		whole.add(total(tallies))
		if progress != nil {
			progress(int64(i + 1))
		}
	}
	estimates = Tallies{}
	for category, m := range sums {
		estimates[category] = m.estimate(float64(n), float64(of))
	}
	return estimates, whole.estimate(float64(n), float64(of)), nil
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
	keys, keyBytes, valueBytes int64
	squaredKeys, squaredBytes  float64
}

func (m *moments) add(t record.CategoryTally) {
	m.keys += t.Keys
	m.keyBytes += t.KeyBytes
	m.valueBytes += t.ValueBytes
	keys, bytes := float64(t.Keys), float64(t.KeyBytes+t.ValueBytes)
	m.squaredKeys += keys * keys
	m.squaredBytes += bytes * bytes
}

// estimate scales n ranges, drawn without replacement, up to all of them.
func (m moments) estimate(n, of float64) record.CategoryTally {
	scaled := func(x int64) int64 { return int64(math.Round(float64(x) / n * of)) }
	off := func(sum int64, squares float64) *float64 {
		if n < 2 {
			return new(math.Inf(1))
		}
		variance := (squares - float64(sum)*float64(sum)/n) / (n - 1)
		return new(of * math.Sqrt(max(variance, 0)/n*(1-n/of)))
	}
	return record.CategoryTally{
		Keys: scaled(m.keys), KeyBytes: scaled(m.keyBytes), ValueBytes: scaled(m.valueBytes),
		KeysError: off(m.keys, m.squaredKeys), BytesError: off(m.keyBytes+m.valueBytes, m.squaredBytes),
	}
}
