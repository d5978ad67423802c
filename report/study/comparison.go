package study

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// Comparison is all configurations that were compared with one base by the same Gets,
// with any cache and share of existing keys. Each side has a label of its own.
type Comparison struct {
	Name  string // short, and no other comparison's
	Lines []*record.Comparison
}

func (s *Study) addComparisons(all []*record.Comparison) {
	for _, ofBase := range GroupBy(all, baseOf) {
		for _, lines := range unambiguous(ofBase) {
			s.Comparisons = append(s.Comparisons, &Comparison{Lines: lines})
		}
	}
	nameAll(s.Comparisons, (*Comparison).baseTraits, func(c *Comparison) *string { return &c.Name })
}

// unfinished returns the runs of comparisons that no line compares.
func unfinished(results []*record.Result, lines []*record.Comparison) (runs []*record.Result) {
	for _, r := range results {
		run := r.ComparisonRun
		if run != nil && !slices.ContainsFunc(lines, func(l *record.Comparison) bool {
			return l.Cache.Bytes == r.Cache.Bytes && run.Round <= l.Rounds && (isOf(r, l.Base) || isOf(r, l.Side))
		}) {
			runs = append(runs, r)
		}
	}
	return runs
}

func isOf(r *record.Result, c record.ComparedSide) bool {
	return r.ComparisonRun.Side == c.Label && r.Workload.Lookup == c.Lookup && reflect.DeepEqual(r.Dataset, c.Dataset) && reflect.DeepEqual(r.Engine, c.Engine)
}

// baseTraits returns what may tell one base from another.
func (c *Comparison) baseTraits() []trait {
	b, w := c.Lines[0].Base, c.Lines[0].Workload
	return []trait{
		{"database", databaseName(b.Dataset.Path)}, {"engine", b.Engine.Name}, {"version", b.Engine.Version}, {"preset", b.Engine.Preset},
		{"lookup", b.Lookup}, {"label", "base " + b.Label}, {"popularity", w.Popularity.String()}, {"keys", w.KeysFile},
		{"Gets", units.Count(w.Gets) + " Gets"}, {"workers", units.Plural(int64(w.Workers), "worker")},
		{"warm-up", "warm-up " + w.WarmupRule}, {"seed", fmt.Sprintf("seed %d", w.Seed)},
	}
}

// baseOf is the same for comparisons with one base by the same Gets. Two settings may
// differ: the warm-up, which depends on the cache, and the number of rounds.
func baseOf(l *record.Comparison) any {
	w := l.Workload
	w.HitFraction, w.WarmupGets, w.WarmupChosenGets = 0, 0, 0
	return []any{configurationOf(l.Base), w}
}

func configurationOf(c record.ComparedSide) any {
	return []any{c.Label, c.Dataset, c.Engine, c.Lookup}
}

// unambiguous divides comparisons with one base so that each label stands for one side: compare calls sides without a
// label of their own B each time. The lines of a side are sorted by cache.
func unambiguous(ofBase []*record.Comparison) (groups [][]*record.Comparison) {
	for _, ofSide := range GroupBy(ofBase, func(l *record.Comparison) any { return configurationOf(l.Side) }) {
		i := slices.IndexFunc(groups, func(lines []*record.Comparison) bool {
			return !slices.ContainsFunc(lines, func(l *record.Comparison) bool { return l.Side.Label == ofSide[0].Side.Label })
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], latest(ofSide)...)
	}
	return groups
}

// latest returns the lines of a side that count: for each cache those of the last
// comparison alone, since a component without a line in it was not read. The lines of one
// comparison have the same time; of two lines of one figure, the last counts.
func latest(ofSide []*record.Comparison) (lines []*record.Comparison) {
	for _, same := range GroupBy(ofSide, func(l *record.Comparison) any { return []any{l.Cache.Bytes, l.Workload.HitFraction} }) {
		last := slices.MaxFunc(same, func(a, b *record.Comparison) int { return a.Time.Compare(b.Time) }).Time
		same = slices.DeleteFunc(same, func(l *record.Comparison) bool { return !l.Time.Equal(last) })
		for _, figure := range GroupBy(same, func(l *record.Comparison) any { return l.Metric }) {
			lines = append(lines, figure[len(figure)-1])
		}
	}
	slices.SortStableFunc(lines, byCache)
	return lines
}

func byCache(a, b *record.Comparison) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) }

// Checks returns a failed check for each comparison that counts and whose runs failed a
// self-check: the records of these runs need not be there.
func (s *Study) Checks() (all record.Checks) {
	for _, c := range s.Comparisons {
		for _, l := range c.Lines {
			if l.Verdict == record.VerdictUnbelievable {
				all = append(all, record.Check{Name: "compared runs", Detail: "a self-check of one of them failed"})
			}
		}
	}
	return all
}

// BySide groups lines by side and by share of existing keys, in their order.
func BySide(lines []*record.Comparison) [][]*record.Comparison {
	return GroupBy(lines, func(l *record.Comparison) any { return []any{l.Side.Label, l.Workload.HitFraction} })
}

// Bases returns the lines with the I/Os per Get of the base, by share of existing keys and then by
// cache: one for each cache, the most informative. Runs that failed a self-check have none.
func (c *Comparison) Bases() (bases [][]*record.Comparison) {
	figures := slices.DeleteFunc(slices.Clone(c.Lines), func(l *record.Comparison) bool {
		return l.Metric != record.MetricIOs || l.Base.Estimate == nil
	})
	slices.SortStableFunc(figures, byCache)
	for _, lines := range GroupBy(figures, func(l *record.Comparison) any { return l.Workload.HitFraction }) {
		bases = append(bases, bestOfEach(lines, func(l *record.Comparison) any { return l.Cache.Bytes }, worthOfComparison))
	}
	return bases
}

// worthOfComparison orders lines with a verdict first, then by rounds and time.
func worthOfComparison(a, b *record.Comparison) int {
	return cmp.Or(trueFirst(a.HasVerdict(), b.HasVerdict()), cmp.Compare(b.Rounds, a.Rounds), b.Time.Compare(a.Time))
}
