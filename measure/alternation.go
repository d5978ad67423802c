package measure

import (
	"time"

	"getio/measure/database"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
)

// Alternation measures several configurations in rounds. In each round, every side is measured
// once, from an empty cache, with the same warm-up and the same Gets. Every second round goes
// through the sides in reverse, so that slow changes of the machine affect all sides alike.
type Alternation struct {
	// Sides are sweeps of the same Gets with one cache each; warm-up and Gets are those of the first. Their seed
	// is that of the first round; each further round uses the next seed.
	Sides  []*Sweep
	Rounds int
	// First is the number of the round to begin with; 0 is 1. The rounds before it are left out.
	First int
	// Until is when the last round should end; the zero Time does not bound the rounds. At least
	// LeastRounds are made, and if time is too short for them, their runs make fewer Gets.
	Until       time.Time
	LeastRounds int
	// Samples are what alternations of the same sides, with other caches, share.
	Samples *Samples
	// Begin is called before each run. Rounds count from 1; round 0 determines the warm-up if
	// the rule is auto.
	Begin func(round, side int)
	// Each is called with each result. measured is false if it was taken from Sweep.Done.
	Each func(round, side int, r *record.Result, measured bool) error
}

// Samples are those of an alternation's sides by which accesses are split. They are taken once, since accesses do not
// depend on the cache.
type Samples struct{ of []splitSample }

// NewSamples returns the samples of so many sides.
func NewSamples(sides int) *Samples { return &Samples{make([]splitSample, sides)} }

// alternating is an alternation in progress.
type alternating struct {
	*Alternation
	agreed     agreement
	shared     sharedGets
	mostChosen []*int64 // of the sides, as in plan
}

// agreement is what the runs of all sides have in common, so that they make the same Gets.
type agreement struct {
	warmup workload.Warmup
	gets   int64 // measured
}

// side returns the sweep of a side with what the sides agreed on.
func (a *Alternation) side(side int, with agreement) Sweep {
	s := *a.Sides[side]
	s.Warmup, s.Gets = with.warmup, with.gets
	return s
}

// sharedGets are the Gets of one round. Sides that draw keys from one directory share them, so that each
// key is drawn once.
type sharedGets struct {
	keysource.Sequence
	seed uint64
}

// lend gives a side's run the Gets that the sides share, if they do.
func (a *alternating) lend(s *sweeping) (err error) {
	if !a.shares() {
		return nil
	}
	if a.shared.Sequence == nil || a.shared.seed != s.Keys.Seed {
		a.shared.close()
		a.shared.seed = s.Keys.Seed
		if a.shared.Sequence, err = s.sequence(s.Keys); err != nil {
			return err
		}
	}
	s.gets, s.lent = a.shared.Sequence, true
	return nil
}

// shares reports whether all sides draw the same keys from one directory.
func (a *Alternation) shares() bool {
	base := a.Sides[0]
	for _, s := range a.Sides {
		if s.Database.Manifest != nil || s.Keys.KeysFile != "" || s.Trace != nil || !database.SameDir(base.Database, s.Database) {
			return false
		}
	}
	return true
}

func (s *sharedGets) close() {
	if s.Sequence != nil {
		s.Sequence.Close()
		s.Sequence = nil
	}
}
