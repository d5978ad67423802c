// Package popularity holds the distributions by which keys are drawn: uniform, Zipf, a hot set. Package
// keysource draws the keys of a run's Gets from them.
package popularity

import (
	"errors"
	"fmt"
	"math"

	"getio/workload/dataset"
)

// Popularity describes how often each key is looked up. The zero value is uniform.
type Popularity struct {
	// Zipf is the exponent of a Zipf distribution: the key of rank k, from 1 on, is requested in proportion to
	// k^-zipf.
	Zipf   float64 `json:"zipf,omitempty"`
	Hotset Hotset  `json:"hotset,omitzero"`
}

// Hotset directs a share of the Gets to a share of the keys. Keys are uniform within the
// hot set, and so are the other keys.
type Hotset struct {
	Keys float64 `json:"keys"` // share of the keys, of MDBX of the entries; equally likely, like the others
	Gets float64 `json:"gets"` // share of the Gets that request them
}

// Names of popularities in records.
const (
	NameUniform = "uniform"
	NameZipf    = "zipf"
	NameHotset  = "hotset"
)

// MaxZipf is the largest exponent that Check accepts.
const MaxZipf = 10

// Uniform reports whether all keys are equally popular.
func (p Popularity) Uniform() bool { return p == Popularity{} }

// Name returns the name of the kind of popularity.
func (p Popularity) Name() string {
	switch {
	case p.Zipf > 0:
		return NameZipf
	case p.Hotset != Hotset{}:
		return NameHotset
	}
	return NameUniform
}

// String describes the popularity in a few words. It is empty for a uniform one.
func (p Popularity) String() string {
	switch p.Name() {
	case NameZipf:
		return fmt.Sprintf("Zipf %g", p.Zipf)
	case NameHotset:
		return fmt.Sprintf("%.4g%% of the keys get %.4g%% of the Gets", 100*p.Hotset.Keys, 100*p.Hotset.Gets)
	}
	return ""
}

// Check returns an error if the popularity is invalid.
func (p Popularity) Check() error {
	switch h := p.Hotset; {
	case !(p.Zipf >= 0 && p.Zipf <= MaxZipf):
		return fmt.Errorf("invalid Zipf exponent %v: use 0 (all keys equally popular) to %d", p.Zipf, MaxZipf)
	case h == Hotset{}:
		return nil
	case p.Zipf > 0:
		return errors.New("a Zipf distribution and a hot set cannot be combined: leave one out")
	case !(h.Keys > 0 && h.Keys < 1):
		return fmt.Errorf("a hot set cannot have %.4g%% of the keys: use more than 0%% and less than 100%%", 100*h.Keys)
	case !(h.Gets >= 0 && h.Gets <= 1):
		return fmt.Errorf("a hot set cannot get %.4g%% of the Gets: use 0%% to 100%%", 100*h.Gets)
	}
	return nil
}

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
		return d.ranks.Rank(s.float64)
	}
	if d.hot == 0 {
		return dataset.Bounded(s.next(), d.n)
	}
	if s.float64() < d.gets {
		return dataset.Bounded(s.next(), d.hot)
	}
	return d.hot + dataset.Bounded(s.next(), d.n-d.hot)
}

// stream yields the random numbers of a seed.
type stream struct{ seed, drawn uint64 }

func (s *stream) next() uint64 {
	s.drawn++
	return dataset.Draw(s.seed, s.drawn)
}

func (s *stream) float64() float64 { return float64(s.next()>>11) / (1 << 53) }
