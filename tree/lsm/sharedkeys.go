package lsm

import "fmt"

// SortedRun names a level or, in L0, a sublevel.
type SortedRun struct {
	Level    int `json:"level"`
	Sublevel int `json:"sublevel,omitempty"`
}

// String names the run as messages do.
func (r SortedRun) String() string {
	if r.Level > 0 {
		return fmt.Sprintf("level %d", r.Level)
	}
	return fmt.Sprintf("sublevel %d of level 0", r.Sublevel)
}

// SharedKeys says how many keys of a sorted run another one has records of too.
type SharedKeys struct {
	Of SortedRun `json:"of"`
	In SortedRun `json:"in"`
	// Share says, of the records of Of that set a key, for which share In has a record of the same key. A deletion
	// in In is such a record, a deleted range is not. Share is above 0.
	Share float64 `json:"share"`
}

// checkSharedKeys returns an error if the shape names sorted runs that it does not have, or shares that cannot be.
func (s *Shape) checkSharedKeys() error {
	runs := map[int]int{}
	for _, l := range s.Levels {
		runs[l.Level] = l.runs()
	}
	for _, k := range s.SharedKeys {
		for _, r := range []SortedRun{k.Of, k.In} {
			if r.Sublevel < 0 || r.Sublevel >= runs[r.Level] {
				return fmt.Errorf("shared_keys names %v, but level %d has %d sorted runs", r, r.Level, runs[r.Level])
			}
		}
		if k.Of == k.In || !(k.Share > 0 && k.Share <= 1) {
			return fmt.Errorf("shared_keys says that a share of %v of the records of %v is in %v", k.Share, k.Of, k.In)
		}
	}
	return nil
}
