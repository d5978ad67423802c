package popularity

import (
	"math"

	"getio/workload/dataset"
)

// Distribution draws key numbers from 0 to n-1 by a popularity. It ranks keys in a pseudo-random
// order, so that popular keys are scattered over the key space. It is safe for concurrent use.
type Distribution struct {
	n     uint64
	order *dataset.Permutation // from ranks to key numbers
	ranks *Zipf                // nil for a hot set and for uniform
	hot   uint64               // number of keys in the hot set, which have the first ranks
	gets  float64              // the hot set's share of the Gets
}

// Of returns the distribution over n keys; n is at least 1. The seed determines the order of ranks.
func (p Popularity) Of(n, seed uint64) *Distribution {
	d := &Distribution{n: n, order: dataset.NewPermutation(n, seed)}
	switch p.Name() {
	case NameZipf:
		d.ranks = NewZipf(p.Zipf, n)
	case NameHotset:
		d.hot = uint64(math.Round(p.Hotset.Keys * float64(n)))
		d.hot, d.gets = min(max(d.hot, 1), n-1), p.Hotset.Gets
	}
	return d
}

// Number draws a key number. It depends on the seed only.
func (d *Distribution) Number(seed uint64) uint64 { return d.order.Of(d.rank(stream{seed: seed})) }

func (d *Distribution) rank(s stream) uint64 {
	if d.ranks != nil {
		return d.zipf(s)
	}
	if d.hot == 0 {
		return dataset.Bounded(s.next(), d.n)
	}
	if s.float64() < d.gets {
		return dataset.Bounded(s.next(), d.hot)
	}
	return d.hot + dataset.Bounded(s.next(), d.n-d.hot)
}

func (d *Distribution) zipf(s stream) uint64 {
	for {
		if rank, ok := d.ranks.Try(s.float64()); ok {
			return rank
		}
	}
}

// stream yields the random numbers of a seed.
type stream struct{ seed, drawn uint64 }

func (s *stream) next() uint64 {
	s.drawn++
	return dataset.Draw(s.seed, s.drawn)
}

func (s *stream) float64() float64 { return float64(s.next()>>11) / (1 << 53) }
