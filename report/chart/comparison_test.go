package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"getio/record"
	"getio/report/study"
)

// chartOf returns the chart of a name; one without lines if there is none.
func chartOf(s *study.Study, name string) (found Chart) {
	for _, c := range All(s) {
		if c.Name == name {
			return c
		}
	}
	return found
}

// TestComparedPointsAreTheRecords compares every point with the lines of the file, and
// counts the points.
func TestComparedPointsAreTheRecords(t *testing.T) {
	s := studyOf(t, comparisons)
	c := chartOf(s, "compared")
	points := map[string]Point{}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			points[fmt.Sprintf("%s at %.0f", l.Name, p.X)] = p
		}
	}
	want := map[string]bool{}
	for _, l := range s.Comparisons[0].Lines {
		if l.Metric != record.MetricIOs {
			continue
		}
		for _, side := range []record.ComparedSide{l.Base, l.Side} {
			at := fmt.Sprintf("%s at %d", side.Label, l.Cache.Bytes)
			want[at] = true
			p := points[at]
			if e := side.Estimate; p.Y != e.Mean || p.Low == nil || *p.Low != e.CI95[0] || *p.High != e.CI95[1] || *p.Share != l.Cache.FractionOfDB || !*p.Steady {
				t.Errorf("%s: %+v, want %+v", at, p, e)
			}
		}
	}
	if len(c.Lines) != 3 || len(points) != len(want) || len(want) < 10 {
		t.Errorf("%d lines with %d points, want 3 with %d", len(c.Lines), len(points), len(want))
	}
}

// comparedLine is a line of I/Os per Get.
func comparedLine(base, side, verdict string, cache int64, hits, mean float64, rounds int) *record.Comparison {
	e := &record.Estimate{Mean: mean, CI95: [2]float64{mean, mean}}
	return &record.Comparison{
		Metric: record.MetricIOs, Verdict: verdict, Rounds: rounds, Time: time.Unix(int64(rounds), 0), Cache: record.Cache{Bytes: cache},
		Workload: record.Made{HitFraction: hits},
		Base:     record.ComparedSide{Label: base, Estimate: e, Dataset: record.Dataset{Path: "of " + base}}, Side: record.ComparedSide{Label: side, Estimate: e},
	}
}

// TestComparedLines: the base is one line whatever it was compared with, with one point
// for each cache; absent keys and other bases are lines of their own; runs that failed a
// self-check have no points.
func TestComparedLines(t *testing.T) {
	failed := comparedLine("A", "B", record.VerdictUnbelievable, 3, 1, 9, 9)
	failed.Base.Estimate, failed.Side.Estimate = nil, nil
	component := comparedLine("A", "B", record.VerdictLess, 1, 1, 9, 2)
	component.Metric = "data"
	s := study.New(record.Set{Comparisons: []*record.Comparison{
		comparedLine("A", "B", record.VerdictLess, 1, 1, 1, 2), component, comparedLine("A", "B", record.VerdictUnsteady, 2, 1, 2, 3), failed,
		comparedLine("A", "B", record.VerdictTooFewGets, 1, 0.8, 3, 2),
		comparedLine("A", "C", record.VerdictNone, 1, 1, 4, 3), comparedLine("A", "C", record.VerdictMore, 2, 1, 5, 2),
		comparedLine("A", "C", record.VerdictMore, 0, 1, 7, 2), // smaller than all of B's
		comparedLine("X", "B", record.VerdictMore, 1, 1, 6, 2),
	}})
	var got []string
	for _, l := range chartOf(s, "compared").Lines {
		text := fmt.Sprintf("%s (%d):", l.Name, l.Colour)
		for _, p := range l.Points {
			steady := "untold"
			if p.Steady != nil {
				steady = fmt.Sprint(*p.Steady)
			}
			text += fmt.Sprintf(" %g %g %s;", p.X, p.Y, steady)
		}
		got = append(got, text)
	}
	want := []string{
		"A [of A] (0): 0 7 true; 1 4 true; 2 5 true;", "B [of A] (1): 1 1 true; 2 2 false;", "C [of A] (2): 0 7 true; 1 4 true; 2 5 true;",
		"A, 20.0% absent keys [of A] (0): 1 3 untold;", "B, 20.0% absent keys [of A] (1): 1 3 untold;",
		"X [of X] (3): 1 6 true;", "B [of X] (4): 1 6 true;",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestComparedBandsEndAtNothing: the interval of few rounds may reach below 0; the band does not.
func TestComparedBandsEndAtNothing(t *testing.T) {
	l := comparedLine("A", "B", record.VerdictNone, 1, 1, 0.02, 2)
	e := record.Estimate{Mean: 0.02, CI95: [2]float64{-0.3, 0.34}}
	l.Side.Estimate = &e
	p := chartOf(study.New(record.Set{Comparisons: []*record.Comparison{l}}), "compared").Lines[1].Points[0]
	if *p.Low != 0 || *p.High != 0.34 || e.CI95[0] != -0.3 {
		t.Errorf("%g to %g, of %v", *p.Low, *p.High, e.CI95)
	}
}
