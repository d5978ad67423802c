package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"getio/dataset/popularity"
)

// popularityFlags say how often which keys are asked for.
type popularityFlags struct {
	zipf   string
	hotset string
}

func (f *popularityFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.zipf, "zipf", "0", "popularity of keys by a Zipf distribution of this exponent; 0: all alike")
	c.Flags().StringVar(&f.hotset, "hotset", "", "a share of the keys gets a share of the Gets, like 1%:90%")
}

func (f *popularityFlags) popularity() (p popularity.Popularity, err error) {
	if f.zipf != "" {
		if p.Zipf, err = strconv.ParseFloat(f.zipf, 64); err != nil || !(p.Zipf >= 0 && p.Zipf <= popularity.MaxZipf) {
			return p, fmt.Errorf("--zipf %q is no exponent: take 0 (all keys alike) to %d", f.zipf, popularity.MaxZipf)
		}
	}
	if f.hotset == "" {
		return p, nil
	}
	keys, gets, both := strings.Cut(f.hotset, ":")
	var ok [2]bool
	p.Hotset.Keys, ok[0] = share(keys)
	p.Hotset.Gets, ok[1] = share(gets)
	if !both || !ok[0] || !ok[1] {
		return p, fmt.Errorf("--hotset %q is no hot set: write a share of the keys and their share of the Gets, like 1%%:90%%", f.hotset)
	}
	if p.Hotset.Keys == 0 {
		return p, fmt.Errorf("--hotset %q has no keys: take more than 0%% of them", f.hotset)
	}
	if err := p.Check(); err != nil {
		return p, fmt.Errorf("--hotset %q: %w", f.hotset, err)
	}
	return p, nil
}

// share reads a percentage as a fraction.
func share(s string) (fraction float64, ok bool) {
	digits, percent := strings.CutSuffix(s, "%")
	p, err := strconv.ParseFloat(digits, 64)
	return p / 100, percent && err == nil && p >= 0
}
