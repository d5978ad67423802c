package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/measure"
)

// singleFlags say what is noted of single Gets, beside the mean of all.
type singleFlags struct {
	distribution bool
	latency      bool
	rate         string
}

func (s *singleFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&s.distribution, "distribution", false, "tell how many Gets made how many reads (Linux)")
	f.BoolVar(&s.latency, "latency", false, "time each Get, from its call to its return")
	f.StringVar(&s.rate, "rate", "", "have so many Gets due per second, like 20k, and time each from when it was due (not in the warm-up)")
}

// apply adds to the options what the flags ask for.
func (s *singleFlags) apply(opts *measure.Options) (err error) {
	if s.distribution {
		if err := measure.RequireThreads(); err != nil {
			return err
		}
	}
	if s.rate != "" {
		if opts.Rate, err = parseCount("--rate", s.rate); err != nil {
			return err
		}
		if opts.Rate < 1 || opts.Rate > measure.MaxRate {
			return fmt.Errorf("--rate %s is out of range: take 1 to %d Gets per second", s.rate, measure.MaxRate)
		}
	}
	opts.Distribution, opts.Latency = s.distribution, s.latency
	return nil
}
