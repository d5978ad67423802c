package lsm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SortedRun names a level or, in L0, a sublevel.
type SortedRun struct {
	Level    int `json:"level"`              // a level, or L0
	Sublevel int `json:"sublevel,omitempty"` // of L0, from 0 on
}

// String names the run as messages do.
func (r SortedRun) String() string {
	if r.Level > 0 {
		return fmt.Sprintf("level %d", r.Level)
	}
	return fmt.Sprintf("sublevel %d of level 0", r.Sublevel)
}

// Compare orders runs as Gets visit them: the newest first.
func (r SortedRun) Compare(s SortedRun) int {
	return cmp.Or(cmp.Compare(r.Level, s.Level), cmp.Compare(s.Sublevel, r.Sublevel))
}

// OlderRecords says how many Gets that find their key in a sorted run go on to an older run: where the record only
// adds to a value, and in L0 of LevelDB.
type OlderRecords struct {
	Of SortedRun `json:"of"` // where the Gets find the newest record of their key
	In SortedRun `json:"in"` // an older run
	// Visits is the share of the Gets that also visit the older run.
	Visits float64 `json:"visits"`
	Finds  float64 `json:"finds,omitempty"` // share that find a record there
}

// KnowsLiveRecords reports whether the shape says of all tables how many of their records Gets find.
func (s *Shape) KnowsLiveRecords() bool {
	for _, l := range s.Levels {
		for _, t := range l.TableList {
			if t.LiveRecords == nil && t.Records > 0 {
				return false
			}
		}
	}
	return true
}

// checkOlderRecords returns an error if the shape names sorted runs that it does not have, or shares that cannot be.
func (s *Shape) checkOlderRecords() error {
	runs := map[int]int{}
	for _, l := range s.Levels {
		runs[l.Level] = l.runs()
	}
	for _, k := range s.OlderRecords {
		for _, r := range []SortedRun{k.Of, k.In} {
			if r.Sublevel < 0 || r.Sublevel >= runs[r.Level] {
				return fmt.Errorf("older_records names %v, but level %d has %d sorted runs", r, r.Level, runs[r.Level])
			}
		}
		if k.Of.Compare(k.In) >= 0 || !(k.Visits > 0 && k.Visits <= 1 && k.Finds >= 0 && k.Finds <= k.Visits) {
			return fmt.Errorf("older_records says that of the Gets that find their key in %v, a share of %v visits %v, and a share of %v finds an older record there", k.Of, k.Visits, k.In, k.Finds)
		}
	}
	return nil
}

// KeySample sums what a Get of each of some drawn keys reads.
type KeySample struct {
	keys   int64
	tables map[uint64]*liveSum // by file number
	found  map[SortedRun]float64
	older  map[[2]SortedRun]*OlderRecords // the sums of their shares
}

// liveSum sums drawn records of a table.
type liveSum struct {
	drawn   int
	records float64 // for which those drawn stand
	keys    float64 // that these are of
	live    float64 // of these, how many Gets find
}

// SampledRecord is a record that was drawn from a table.
type SampledRecord struct {
	File    uint64
	Run     SortedRun
	Records float64 // for which it stands
	OfKey   float64 // the number of its key's records in the run, one of which it is
	// Live: a Get finds its key in one of these. Older are the runs that it visits then.
	Live  bool
	Older []OlderVisit
}

// OlderVisit is a Get's visit of a run after it has found its key's newest record.
type OlderVisit struct {
	Run   SortedRun
	Finds bool // an older record
}

// Add adds a drawn record.
func (k *KeySample) Add(r SampledRecord) {
	if k.tables == nil {
		k.tables, k.found, k.older = map[uint64]*liveSum{}, map[SortedRun]float64{}, map[[2]SortedRun]*OlderRecords{}
	}
	k.keys++
	t := k.tables[r.File]
	if t == nil {
		t = &liveSum{}
		k.tables[r.File] = t
	}
	keys, gets := r.Records/r.OfKey, 0.0
	if r.Live {
		gets = keys
	}
	t.add(liveSum{1, r.Records, keys, gets})
	k.found[r.Run] += gets
	for _, v := range r.Older {
		runs := [2]SortedRun{r.Run, v.Run}
		if k.older[runs] == nil {
			k.older[runs] = &OlderRecords{Of: r.Run, In: v.Run}
		}
		if k.older[runs].Visits += gets; v.Finds {
			k.older[runs].Finds += gets
		}
	}
}

func (s *liveSum) add(more liveSum) {
	s.drawn += more.drawn
	s.records += more.records
	s.keys += more.keys
	s.live += more.live
}

// fewestDrawn is the number of drawn records from which a share of live records is estimated, if the run has as many:
// small tables share an estimate with their neighbours.
const fewestDrawn = 100

// Describe returns the shape with its tables' live records and keys, and with OlderRecords.
func (k *KeySample) Describe(s *Shape) *Shape {
	runs := map[SortedRun][]*Table{}
	completed := s.EachTable(func(level int, t *Table) {
		run := SortedRun{level, t.Sublevel}
		runs[run] = append(runs[run], t)
	})
	for _, list := range runs {
		k.describeRun(list)
	}
	completed.SampledKeys, completed.OlderRecords = k.keys, nil
	for runs, o := range k.older {
		if all := k.found[runs[0]]; o.Visits > 0 {
			completed.OlderRecords = append(completed.OlderRecords, OlderRecords{o.Of, o.In, o.Visits / all, o.Finds / all})
		}
	}
	slices.SortFunc(completed.OlderRecords, func(a, b OlderRecords) int { return cmp.Or(a.Of.Compare(b.Of), a.In.Compare(b.In)) })
	return completed
}

// describeRun sets the live records and the keys of a sorted run's tables, which are in key order.
func (k *KeySample) describeRun(list []*Table) {
	for len(list) > 0 {
		n, sum := k.group(list)
		if _, rest := k.group(list[n:]); rest.drawn < fewestDrawn {
			n = len(list)
			sum.add(rest)
		}
		for _, t := range list[:n] {
			t.LiveRecords, t.DistinctKeys = nil, nil
			if sum.records == 0 {
				continue
			}
			t.LiveRecords = new(int64(math.Round(sum.live / sum.records * float64(t.Records))))
			// However few its records are, they are of a key.
			if keys := max(int64(math.Round(sum.keys/sum.records*float64(t.Records))), 1); keys < t.Records {
				t.DistinctKeys = &keys
			}
		}
		list = list[n:]
	}
}

// group returns the number and sum of the first tables from which enough records were drawn, or of all.
func (k *KeySample) group(list []*Table) (n int, sum liveSum) {
	for ; n < len(list) && sum.drawn < fewestDrawn; n++ {
		if own := k.tables[list[n].File]; own != nil {
			sum.add(*own)
		}
	}
	return n, sum
}
