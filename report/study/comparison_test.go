package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"getio/record"
)

// compared is a line of a comparison of base with side, each DATABASE:LABEL.
func compared(base, side, metric string, cache int64, hits float64, minutes int) *record.Comparison {
	of := func(named string) record.ComparedSide {
		path, label, _ := strings.Cut(named, ":")
		return record.ComparedSide{Label: label, Dataset: record.Dataset{Path: path}, Engine: record.Engine{Name: "pebblev2"}}
	}
	return &record.Comparison{
		Time: time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute), Metric: metric, Rounds: 2, Cache: record.Cache{Bytes: cache},
		Workload: record.Made{Kind: "uniform", HitFraction: hits, Gets: 10, WarmupGets: cache}, Base: of(base), Side: of(side),
	}
}

// groups writes the comparisons of a study, one to a line: the name, and of each of its
// lines the side, cache, share of hits, metric and minute.
func groups(lines ...*record.Comparison) (all []string) {
	for _, c := range New(record.Set{Comparisons: lines}).Comparisons {
		text := c.Name + ":"
		for _, l := range c.Lines {
			text += fmt.Sprintf(" %s %d %g %s %g;", l.Side.Label, l.Cache.Bytes, l.Workload.HitFraction, l.Metric, l.Time.Sub(time.Unix(0, 0)).Minutes())
		}
		all = append(all, text)
	}
	return all
}

// TestComparisonsAreOneBaseEach: comparisons with one base are together, with every cache
// and share of absent keys; different sides of one label are not.
func TestComparisonsAreOneBaseEach(t *testing.T) {
	others := compared("d:A", "e:B", "ios_per_get", 5, 1, 1)
	others.Workload.Gets = 20
	seeks := compared("d:A", "e:B", "ios_per_get", 5, 1, 1)
	seeks.Base.Lookup = record.LookupSeek
	got := groups(
		compared("d:A", "e:B", "ios_per_get", 9, 1, 1), compared("d:A", "e:B", "data", 9, 1, 1),
		compared("d:A", "f:C", "ios_per_get", 9, 1, 1),
		compared("d:A", "e:B", "ios_per_get", 5, 1, 2), compared("d:A", "e:B", "ios_per_get", 5, 0, 2),
		compared("d:A", "f:B", "ios_per_get", 5, 1, 1), // another one that is called B
		compared("d:old", "e:B", "ios_per_get", 5, 1, 1),
		others, seeks,
	)
	want := []string{
		"d, base A, 10 Gets: B 5 1 ios_per_get 2; B 5 0 ios_per_get 2; B 9 1 ios_per_get 1; B 9 1 data 1; C 9 1 ios_per_get 1;",
		"d, base A, 10 Gets (2): B 5 1 ios_per_get 1;",
		"d, base old: B 5 1 ios_per_get 1;",
		"d, base A, 20 Gets: B 5 1 ios_per_get 1;",
		"d, prefix_seek: B 5 1 ios_per_get 1;",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLastComparisonCounts, as a whole and for its cache alone, in any order of the lines.
func TestLastComparisonCounts(t *testing.T) {
	early := []*record.Comparison{
		compared("d:A", "e:B", "ios_per_get", 5, 1, 1), compared("d:A", "e:B", "filter", 5, 1, 1),
		compared("d:A", "e:B", "ios_per_get", 9, 1, 1),
	}
	late := []*record.Comparison{compared("d:A", "e:B", "ios_per_get", 5, 1, 2), compared("d:A", "e:B", "data", 5, 1, 2)}
	late[0].Rounds, late[1].Rounds = 3, 3 // as with more of them in the same file
	want := []string{"d: B 5 1 ios_per_get 2; B 5 1 data 2; B 9 1 ios_per_get 1;"}
	for _, lines := range [][]*record.Comparison{slices.Concat(early, late), slices.Concat(late, early)} {
		assert.Equal(t, want, groups(lines...))
	}
	again := *late[0]
	again.Verdict = record.VerdictLess
	s := New(record.Set{Comparisons: []*record.Comparison{late[0], late[1], &again}})
	if lines := s.Comparisons[0].Lines; len(lines) != 2 || lines[0] != &again || lines[1] != late[1] {
		t.Errorf("a figure that is there twice: %v", lines)
	}
}

// TestBaseIsOne: for each cache one line gives the base's figure: one with a verdict, of
// most rounds, and the latest; none of runs that failed a self-check, nor of components.
func TestBaseIsOne(t *testing.T) {
	line := func(side string, cache int64, minutes, rounds int, verdict string) *record.Comparison {
		l := compared("d:A", "e:"+side, record.MetricIOs, cache, 1, minutes)
		l.Rounds, l.Verdict, l.Base.Estimate = rounds, verdict, &record.Estimate{}
		return l
	}
	failed := line("B", 1, 9, 9, record.VerdictUnbelievable)
	failed.Base.Estimate = nil
	component := line("B", 7, 1, 2, record.VerdictLess)
	component.Metric = "data"
	lines := []*record.Comparison{
		line("B", 9, 1, 2, record.VerdictNone), line("C", 9, 2, 3, record.VerdictUnsteady),
		line("B", 5, 2, 2, record.VerdictMore), line("C", 5, 1, 3, record.VerdictLess),
		line("B", 3, 1, 2, record.VerdictMore), line("C", 3, 2, 2, record.VerdictLess),
		failed, component,
	}
	bases := New(record.Set{Comparisons: lines}).Comparisons[0].Bases()
	if len(bases) != 1 || !slices.Equal(bases[0], []*record.Comparison{lines[5], lines[3], lines[0]}) {
		t.Errorf("bases %v", bases)
	}
}

// TestUnbelievedComparisonsFail unless a later comparison of the same runs is there.
func TestUnbelievedComparisonsFail(t *testing.T) {
	failed := compared("d:A", "e:B", record.MetricIOs, 5, 1, 1)
	failed.Verdict = record.VerdictUnbelievable
	later := compared("d:A", "e:B", record.MetricIOs, 5, 1, 2)
	assert.False(t, New(record.Set{Comparisons: []*record.Comparison{failed}}).Checks().Hold(), "runs that cannot be believed hold")
	if s := New(record.Set{Comparisons: []*record.Comparison{failed, later}}); !s.Checks().Hold() {
		t.Errorf("a comparison that does not count fails: %v", s.Checks())
	}
}
