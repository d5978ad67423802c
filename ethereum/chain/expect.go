package chain

import (
	"context"
	"time"

	"getio/system/cputime"
)

// probed is how many operations are tried to estimate the reads of one.
const probed = 200

// operations are how many operations a run carries out.
type operations struct {
	warmup, measured int64
	auto             bool          // the warm-up may end sooner
	each             time.Duration // processor time of one, if it was seen
}

// expected returns about how many operations a run makes.
func (n operations) expected() int64 {
	if n.auto {
		return n.measured + n.warmup/5
	}
	return n.measured + n.warmup
}

const (
	// measuredShare is the share of a run's time in which its measured operations are made.
	measuredShare = 0.5
	// leastWindow is how many operations a window has at least: few reads in it show a full cache.
	leastWindow = 100
)

// windows returns the number of windows to divide the measured operations into, so that twenty of them fit in the
// given time.
func (n operations) windows(time time.Duration) int {
	needed := float64(n.measured) * float64(n.each)
	most := max(float64(n.measured)/leastWindow, windows)
	return int(min(max(windows, windows*needed/max(measuredShare*float64(time), 1)), most))
}

// numbers returns how many operations to carry out before and while measuring.
func (s *Sweep) numbers(ctx context.Context, draw *Chain, run Run) (operations, error) {
	if n, known := s.planned[run.Operation]; known {
		return n, nil
	}
	n := operations{warmup: s.Warmup, measured: s.Measured}
	if n.measured == AutoOperations {
		like, err := draw.Targets(ctx, run.Operation, s.Popularity, probed, nil)
		if err != nil {
			return n, err
		}
		spent := cputime.StartTimer()
		if n.measured, err = draw.SteadyOperations(s.database.Store, run.Operation, like, run.Flat); err != nil {
			return n, err
		}
		n.each = spent().CPU / probed
	}
	if n.auto = n.warmup == AutoOperations; n.auto {
		n.warmup = n.measured
	}
	if s.planned == nil {
		s.planned = map[Operation]operations{}
	}
	s.planned[run.Operation] = n
	return n, nil
}
