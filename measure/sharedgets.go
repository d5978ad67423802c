package measure

import (
	"getio/measure/database"
	"getio/measure/keysource"
)

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
