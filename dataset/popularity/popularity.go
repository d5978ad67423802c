// Package popularity draws keys uniformly, by a Zipf distribution, or from a hot set.
package popularity

import (
	"errors"
	"fmt"
)

// Popularity is how often keys are asked for. The zero value is all alike.
type Popularity struct {
	// Zipf is the exponent of a Zipf distribution: the key of rank k, from 1 on, is
	// asked for in proportion to k^-Zipf.
	Zipf   float64 `json:"zipf,omitempty"`
	Hotset Hotset  `json:"hotset,omitzero"`
}

// Hotset is a share of the keys that gets a share of the Gets. Within it all keys
// are alike, and so are all others.
type Hotset struct {
	Keys float64 `json:"keys"`
	Gets float64 `json:"gets"`
}

// Names of popularities, as records have them.
const (
	NameUniform = "uniform"
	NameZipf    = "zipf"
	NameHotset  = "hotset"
)

// MaxZipf is beyond what an exponent can be meant to be.
const MaxZipf = 10

// Uniform tells whether all keys are alike.
func (p Popularity) Uniform() bool { return p == Popularity{} }

// Name names the kind of popularity.
func (p Popularity) Name() string {
	switch {
	case p.Zipf > 0:
		return NameZipf
	case p.Hotset != Hotset{}:
		return NameHotset
	}
	return NameUniform
}

// String describes the popularity in a few words; none where all keys are alike.
func (p Popularity) String() string {
	switch p.Name() {
	case NameZipf:
		return fmt.Sprintf("Zipf %g", p.Zipf)
	case NameHotset:
		return fmt.Sprintf("%.4g%% of the keys get %.4g%% of the Gets", 100*p.Hotset.Keys, 100*p.Hotset.Gets)
	}
	return ""
}

// Check refuses what is no popularity.
func (p Popularity) Check() error {
	switch h := p.Hotset; {
	case !(p.Zipf >= 0 && p.Zipf <= MaxZipf):
		return fmt.Errorf("there is no Zipf distribution of exponent %v: take 0 (all keys alike) to %d", p.Zipf, MaxZipf)
	case h == Hotset{}:
		return nil
	case p.Zipf > 0:
		return errors.New("keys are popular by a Zipf distribution or by a hot set, not by both: leave one out")
	case !(h.Keys > 0 && h.Keys < 1):
		return fmt.Errorf("a hot set of %.4g%% of the keys is none: take more than 0%% and less than 100%%", 100*h.Keys)
	case !(h.Gets >= 0 && h.Gets <= 1):
		return fmt.Errorf("a hot set cannot get %.4g%% of the Gets: take 0%% to 100%%", 100*h.Gets)
	}
	return nil
}
