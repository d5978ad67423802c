package main

import (
	"github.com/spf13/cobra"

	"getio/measure"
)

// singleFlags ask for figures of single Gets beside the mean of all.
type singleFlags struct {
	distribution bool
	latency      bool
	rate         int64
}

func (s *singleFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&s.distribution, "distribution", false, "count how many Gets made how many reads (Linux)")
	f.BoolVar(&s.latency, "latency", false, "time each Get, from call to return")
	countVar(f, &s.rate, "rate", "", 1, measure.MaxRate, "schedule that many Gets per second, such as 20k, and time each from when it was due (not in the warm-up)")
}

// apply adds what the flags ask for to the options.
func (s *singleFlags) apply(opts *measure.Options) {
	opts.Distribution, opts.Latency, opts.Rate = s.distribution, s.latency, s.rate
}
