package lsm

import (
	"fmt"
	"maps"
)

// SortedRun names a level or, in L0, a sublevel.
type SortedRun struct {
	Level    int `json:"level"`
	Sublevel int `json:"sublevel,omitempty"`
}

// SharedKeys says how many keys of a sorted run another one has records of too.
type SharedKeys struct {
	Of SortedRun `json:"of"`
	In SortedRun `json:"in"`
	// Share is the share of the records of Of whose keys have records in In. It is above 0.
	Share float64 `json:"share"`
}

// SortedRuns returns the sorted run of each table, by the table's file. A file that holds virtual tables of
// several runs is not among them.
func (s *Shape) SortedRuns() map[uint64]SortedRun {
	runs, several := map[uint64]SortedRun{}, map[uint64]bool{}
	for _, level := range s.Levels {
		for _, t := range level.TableList {
			run := SortedRun{level.Level, t.Sublevel}
			before, known := runs[t.File]
			several[t.File] = several[t.File] || known && before != run
			runs[t.File] = run
		}
	}
	maps.DeleteFunc(runs, func(file uint64, _ SortedRun) bool { return several[file] })
	return runs
}

// checkSharedKeys returns an error if the shape names keys of sorted runs that it does not have, or more
// keys than all.
func (s *Shape) checkSharedKeys() error {
	runs := map[int]int{}
	for _, l := range s.Levels {
		runs[l.Level] = l.runs()
	}
	for _, k := range s.SharedKeys {
		for _, r := range []SortedRun{k.Of, k.In} {
			if r.Sublevel < 0 || r.Sublevel >= runs[r.Level] {
				return fmt.Errorf("shared_keys names sublevel %d of level %d, which has %d", r.Sublevel, r.Level, runs[r.Level])
			}
		}
		if k.Of == k.In || !(k.Share > 0 && k.Share <= 1) {
			return fmt.Errorf("shared_keys says that a share of %v of the records of level %d is in level %d", k.Share, k.Of.Level, k.In.Level)
		}
	}
	return nil
}
