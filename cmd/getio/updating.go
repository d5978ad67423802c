package main

import (
	"fmt"

	"getio/load"
	"getio/system/device"
)

// fastestUpdates is what --update-rate calls as many updates as can be made.
const fastestUpdates = "max"

// maxUpdateRate is more than any library takes.
const maxUpdateRate = 10_000_000

// parseUpdateRate reads how many keys are overwritten a second.
func parseUpdateRate(s string) (*load.Pace, error) {
	if s == fastestUpdates {
		return new(load.Pace), nil
	}
	n, err := countIn[int64](1, maxUpdateRate)(s)
	if err != nil {
		return nil, fmt.Errorf("%w, or %s", err, fastestUpdates)
	}
	pace := load.Pace(n)
	return &pace, nil
}

// beside refuses what cannot be asked for while keys are overwritten.
func (m *measureFlags) beside() error {
	for _, f := range []struct {
		given    bool
		flag, so string
	}{
		{m.exact, "--exact-split", "it makes the Gets again on a tree that is another one by then"},
		{m.filters, "--last-level-filters", "it opens the database with a key comparison that no table may be written with"},
		{m.scan > 0, "--scan", "what compactions read is told from what Gets read, not from what scans do"},
		{m.batch > 0, "--multiget", "what compactions read is told from what Gets read, not from what iterators do"},
		{m.trace != "", "--trace", "its warm-up is of a database at rest"},
		{m.record != "", "--record", "what its Gets return depends on when they were made"},
		{m.keysFile != "", "--keys-file", "its keys are looked up in a database at rest; those of the dataset are known"},
		{m.choice.Live, "--live", "it reads a copy that nobody writes to"},
		{m.choice.Preset != "", "--preset", "a dataset is written to with the options that it was loaded with"},
		{m.device.pageCache != device.Keep, "--page-cache", "the kernel accounts to the process what Gets and compactions read together"},
		{m.device.model != (device.Model{}), "--iops and --read-latency", "of a modelled device only reads take time, not what flushes and compactions write"},
	} {
		if f.given {
			return fmt.Errorf("%s cannot go with --update-rate: %s; leave one of them out", f.flag, f.so)
		}
	}
	return nil
}
