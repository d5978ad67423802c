package popularity

import (
	"math"

	"getio/dataset"
)

// Distribution draws numbers of keys, 0 to n-1, by a popularity. Keys are ranked
// in a pseudo-random order, so that popular ones lie anywhere among the others.
// It is safe for concurrent use.
type Distribution struct {
	n     uint64
	order *dataset.Permutation // from ranks to numbers
	ranks *Zipf                // nil: a hot set, or all alike
	hot   uint64               // keys of the hot set, which have the first ranks
	gets  float64              // share of the Gets that asks for them
}

// Of is the distribution over n keys, of which there is at least one. The seed
// decides on the order.
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

// Number draws the number of a key; it follows from the seed alone.
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

// stream is the random numbers that belong to a seed.
type stream struct{ seed, drawn uint64 }

func (s *stream) next() uint64 {
	s.drawn++
	return dataset.Draw(s.seed, s.drawn)
}

func (s *stream) float64() float64 { return float64(s.next()>>11) / (1 << 53) }
