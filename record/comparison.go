package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"getio/numbers/steady"
	"getio/tree/readpath"
)

// ComparisonSchema marks a Comparison.
const ComparisonSchema = "getio.compare/1"

// Comparison is one figure of two configurations that were measured in alternating
// runs of the same Gets.
type Comparison struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`   // end of the last run
	Metric string    `json:"metric"` // one of the names below, or a component
	Cache  Cache     `json:"cache"`  // as in the base's runs
	// Workload is that of each run, but for its seed, which is the first round's.
	Workload Workload     `json:"workload"`
	Rounds   int          `json:"rounds"`
	Base     ComparedSide `json:"base"`
	Side     ComparedSide `json:"side"`
	// Difference is the side's figure less the base's, Ratio the side's by the base's,
	// both over the rounds. Absent if the runs cannot be believed; there is no ratio if
	// one of the figures is 0.
	Difference *Estimate `json:"difference,omitempty"`
	Ratio      *Estimate `json:"ratio,omitempty"`
	Verdict    string    `json:"verdict"`
}

// ComparedSide is one of the two configurations, and what its runs came to.
type ComparedSide struct {
	Label    string    `json:"label"`
	Engine   Engine    `json:"engine"`
	Dataset  Dataset   `json:"dataset"`
	Lookup   string    `json:"lookup,omitempty"`   // as in a Workload
	Estimate *Estimate `json:"estimate,omitempty"` // over the rounds
	ByRound  []float64 `json:"by_round,omitempty"`
	// IOsPerGet is the mean over the rounds, whatever the metric: what Drift is a fraction
	// of. Absent in older records.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
	// Drift is that of IOsPerGet, over the rounds. Absent if one had too few Gets to tell.
	Drift *Estimate `json:"drift,omitempty"`
}

// StillDrifts reports whether the side is not steady: the mean drift of its rounds breaks the
// rule for single runs, and their spread does not account for it. In short runs the drift
// of each by itself is mostly noise, which differs from round to round; the drift of a
// cache that still fills does not. Records without IOsPerGet are judged by the relative
// drift alone, as they were when they were made.
func (c *ComparedSide) StillDrifts() bool {
	if c.Drift == nil {
		return false
	}
	mean := math.Inf(1)
	if c.IOsPerGet != nil {
		mean = *c.IOsPerGet
	}
	return !steady.Drift{Relative: c.Drift.Mean, Mean: mean}.Steady() && c.Drift.Excludes(0)
}

// ComparisonRun says which run of a comparison a Result is.
type ComparisonRun struct {
	Side   string `json:"side"`  // its label
	Round  int    `json:"round"` // from 1 on
	Rounds int    `json:"rounds"`
}

// Estimate is a mean and its 95% confidence interval.
type Estimate struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// HalfWidth is half of the interval.
func (e Estimate) HalfWidth() float64 { return (e.CI95[1] - e.CI95[0]) / 2 }

// Excludes tells whether the interval does not hold the value.
func (e Estimate) Excludes(v float64) bool { return v < e.CI95[0] || v > e.CI95[1] }

// Metrics beside the components' reads per Get.
const (
	MetricIOs   = "ios_per_get"
	MetricBytes = "bytes_per_get"
	MetricCPU   = "cpu_us_per_get"
)

// Verdicts on a figure.
const (
	VerdictLess = "less" // the side's is less than the base's
	VerdictMore = "more"
	// VerdictNone: no difference that the rounds can tell.
	VerdictNone = "none"
	// VerdictUnsteady: a side still moved, so that its runs are not what it comes to.
	VerdictUnsteady = "not_steady"
	// VerdictTooFewGets: the runs are too short to tell whether they are steady.
	VerdictTooFewGets = "not_known_to_be_steady"
	// VerdictUnbelievable: a self-check of one of the runs failed.
	VerdictUnbelievable = "unbelievable"
)

var verdicts = []string{VerdictLess, VerdictMore, VerdictNone, VerdictUnsteady, VerdictTooFewGets, VerdictUnbelievable}

// HasVerdict tells whether the runs allow a verdict: that there is a difference, or none.
func (c *Comparison) HasVerdict() bool {
	return c.Verdict == VerdictLess || c.Verdict == VerdictMore || c.Verdict == VerdictNone
}

// mostAlong is how far from 0 the interval of figures up to 1 can reach: that of two of
// them, by Student's t, is 12.7 times as wide as they differ.
const mostAlong = 20

// validate refuses a comparison without what every one has, and one that cannot be.
func (c *Comparison) validate() error {
	w := c.Workload
	switch {
	case !isMetric(c.Metric):
		return unfit("of %.40q, which is no metric", c.Metric)
	case !slices.Contains(verdicts, c.Verdict):
		return unfit("with %.40q, which is no verdict", c.Verdict)
	case strings.TrimSpace(c.Base.Label) == "" || strings.TrimSpace(c.Side.Label) == "" || c.Base.Label == c.Side.Label:
		return unfit("whose labels, %.40q and %.40q, do not tell its sides apart", c.Base.Label, c.Side.Label)
	case c.Time.IsZero():
		return unfit("without its time")
	case c.Rounds < 2 || c.Rounds > mostReads:
		return unfit("of %d rounds, and there are two or more", c.Rounds)
	case w.Gets <= 0 || w.Workers <= 0:
		return unfit("without Gets")
	case !(w.HitFraction >= 0 && w.HitFraction <= 1):
		return unfit("of Gets of which %g ask for keys that exist, which cannot be", w.HitFraction)
	case c.Cache.Bytes < 0 || !(c.Cache.FractionOfDB >= 0 && c.Cache.FractionOfDB <= mostCounted):
		return unfit("with a cache of %d bytes, %g of the database, which cannot be", c.Cache.Bytes, c.Cache.FractionOfDB)
	case c.Verdict != VerdictUnbelievable:
		return c.figures()
	case c.Difference != nil || c.Ratio != nil || c.Base.figured() || c.Side.figured():
		return unfit("with figures of runs that cannot be believed")
	case c.Metric != MetricIOs:
		return unfit("of %q in runs that cannot be believed, of which %s alone says so", c.Metric, MetricIOs)
	}
	return nil
}

func isMetric(name string) bool {
	return name == MetricBytes || name == MetricCPU || ofReads(name)
}

// ofReads tells whether a metric counts reads per Get.
func ofReads(metric string) bool {
	components := readpath.Components()
	return metric == MetricIOs || slices.ContainsFunc(components[:], func(c readpath.Component) bool { return c.String() == metric })
}

func (c ComparedSide) figured() bool {
	return c.Estimate != nil || len(c.ByRound) > 0 || c.IOsPerGet != nil
}

// figures refuses those of believed runs that cannot be, or not beside each other.
func (c *Comparison) figures() error {
	most := float64(mostCounted)
	if ofReads(c.Metric) {
		most = mostReads
	}
	none := false // of what is counted, in a round
	for _, s := range []ComparedSide{c.Base, c.Side} {
		if s.Estimate == nil || len(s.ByRound) != c.Rounds {
			return unfit("without the figures of %.40q in each of %d rounds", s.Label, c.Rounds)
		}
		for _, v := range s.ByRound {
			if err := checkRange(c.Metric, v, most); err != nil {
				return err
			}
			none = none || v == 0
		}
		if !s.Estimate.within(0, most) || s.Drift != nil && !s.Drift.within(-mostReads, mostReads) {
			return unfit("with an interval of %.40q that cannot be", s.Label)
		}
		if s.IOsPerGet != nil && !(*s.IOsPerGet >= 0 && *s.IOsPerGet <= mostReads) {
			return unfit("with %g I/Os per Get of %.40q, which cannot be", *s.IOsPerGet, s.Label)
		}
	}
	switch {
	case c.Difference == nil:
		return unfit("without its difference")
	case c.Ratio == nil && !none:
		return unfit("without its ratio")
	case c.Ratio != nil && none:
		return unfit("with a ratio to nothing")
	case !c.Difference.within(-most, most) || c.Ratio != nil && !(c.Ratio.CI95[0] >= 0 && c.Ratio.ordered()):
		return unfit("with a difference that cannot be")
	case !c.averages():
		return unfit("whose means are not those of its rounds")
	case !c.follows():
		return unfit("whose verdict, %q, is not what its figures say", c.Verdict)
	}
	return nil
}

// ordered tells whether the mean lies in the interval.
func (e *Estimate) ordered() bool { return e.CI95[0] <= e.Mean && e.Mean <= e.CI95[1] }

// within tells whether figures from least to most can have the estimate.
func (e *Estimate) within(least, most float64) bool {
	return e.ordered() && e.Mean >= least && e.Mean <= most && e.CI95[0] >= -mostAlong*most && e.CI95[1] <= mostAlong*most
}

// averages tells whether all means are those of the rounds.
func (c *Comparison) averages() bool {
	base, side, logs := 0.0, 0.0, 0.0
	n := float64(c.Rounds)
	for i, b := range c.Base.ByRound {
		s := c.Side.ByRound[i]
		base, side, logs = base+b/n, side+s/n, logs+math.Log(s/b)/n
	}
	// All are of the order of these two, and differ from them by rounding.
	off := (base + side) * 1e-9
	return math.Abs(c.Base.Estimate.Mean-base) <= off && math.Abs(c.Side.Estimate.Mean-side) <= off &&
		math.Abs(c.Difference.Mean-(side-base)) <= off && (c.Ratio == nil || math.Abs(c.Ratio.Mean-math.Exp(logs)) <= c.Ratio.Mean*1e-9)
}

// follows tells whether the verdict is that of the intervals, where the runs' drifts are
// known and none says that a side still moved.
func (c *Comparison) follows() bool {
	e, equal := c.Difference, 0.0
	if c.Ratio != nil {
		e, equal = c.Ratio, 1
	}
	known := c.Base.Drift != nil && c.Side.Drift != nil
	moves := known && (c.Base.StillDrifts() || c.Side.StillDrifts())
	switch c.Verdict {
	case VerdictTooFewGets:
		return !known
	case VerdictUnsteady:
		return moves
	case VerdictLess:
		return known && !moves && e.CI95[1] < equal
	case VerdictMore:
		return known && !moves && e.CI95[0] > equal
	}
	return known && !moves && !e.Excludes(equal)
}

// unfit is the error of a line with a comparison that cannot be taken.
func unfit(how string, args ...any) error {
	return fmt.Errorf("is a comparison "+how+": remove the line, or name another file", args...)
}
