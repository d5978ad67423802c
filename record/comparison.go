package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"getio/engine/readpath"
)

// Comparison compares one figure of two configurations, measured in alternating runs of the
// same Gets.
type Comparison struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`   // end of the last run
	Metric string    `json:"metric"` // "ios_per_get", "bytes_per_get", "cpu_us_per_get", or a component: its reads per Get
	Cache  Cache     `json:"cache"`  // of the base
	// Workload is that of each run; its seed is the first round's, and each further round adds 1.
	Workload Made         `json:"workload"`
	Rounds   int          `json:"rounds"` // runs of each side
	Base     ComparedSide `json:"base"`
	Side     ComparedSide `json:"side"` // compared with the base
	// Difference is the side's figure minus the base's, from the differences of each round; absent if a self-check
	// failed.
	Difference *Estimate `json:"difference,omitempty"`
	// Ratio is the side's figure divided by the base's, from the rounds' log ratios; also absent if a figure is 0.
	Ratio *Estimate `json:"ratio,omitempty"`
	// Confidence is that of the interval behind "less" and "more", as a fraction: 1 - 5%/n for the n lines of one
	// call. The interval is Student's t over the rounds' differences or log ratios. Older records judged by the 95%
	// interval.
	Confidence float64 `json:"confidence,omitempty"`
	// Verdict is "less" or "more" than the base; "none": no difference; or no verdict: "not_steady",
	// "not_known_to_be_steady" (too few Gets), "unbelievable" (a self-check failed).
	Verdict string `json:"verdict"`
}

// ComparedSide is one of the two configurations and the results of its runs.
type ComparedSide struct {
	Label    string    `json:"label"` // of the side
	Engine   Engine    `json:"engine"`
	Dataset  Dataset   `json:"dataset"`
	Lookup   string    `json:"lookup,omitempty"`   // as in a workload
	Estimate *Estimate `json:"estimate,omitempty"` // over the rounds; absent if a self-check failed
	ByRound  []float64 `json:"by_round,omitempty"` // figure of each round
	// IOsPerGet is the mean over the rounds, whatever the metric.
	IOsPerGet *float64 `json:"ios_per_get,omitempty"`
	// Drift is that of the I/Os per Get over the rounds, as a fraction of the mean; absent if a run has too few Gets
	// to tell.
	Drift *Estimate `json:"drift,omitempty"`
}

// ComparisonRun says which run of a comparison a Result is.
type ComparisonRun struct {
	Side   string `json:"side"`   // its label
	Round  int    `json:"round"`  // from 1 on
	Rounds int    `json:"rounds"` // of the comparison
}

// Estimate is a mean and its 95% confidence interval.
type Estimate struct {
	Mean float64    `json:"mean"` // over the rounds
	CI95 [2]float64 `json:"ci95"` // 95% interval
}

// HalfWidth returns half of the width of the interval.
func (e Estimate) HalfWidth() float64 { return (e.CI95[1] - e.CI95[0]) / 2 }

// Excludes reports whether the value lies outside the interval.
func (e Estimate) Excludes(v float64) bool { return v < e.CI95[0] || v > e.CI95[1] }

// Metrics other than the reads per Get of a component.
const (
	MetricIOs   = "ios_per_get"
	MetricBytes = "bytes_per_get"
	MetricCPU   = "cpu_us_per_get"
)

// Verdicts on a figure.
const (
	VerdictLess = "less" // the side's is less than the base's
	VerdictMore = "more"
	// VerdictNone: the rounds show no difference.
	VerdictNone = "none"
	// VerdictUnsteady: a side still drifted.
	VerdictUnsteady = "not_steady"
	// VerdictTooFewGets: the runs are too short to judge whether they were steady.
	VerdictTooFewGets = "not_known_to_be_steady"
	// VerdictUnbelievable: a self-check of one of the runs failed.
	VerdictUnbelievable = "unbelievable"
)

var verdicts = []string{VerdictLess, VerdictMore, VerdictNone, VerdictUnsteady, VerdictTooFewGets, VerdictUnbelievable}

// HasVerdict reports whether the runs show a difference or none.
func (c *Comparison) HasVerdict() bool {
	return c.Verdict == VerdictLess || c.Verdict == VerdictMore || c.Verdict == VerdictNone
}

// mostAlong is how far from 0 the interval of figures up to 1 can reach: Student's interval
// of two figures is 12.7 times as wide as their difference.
const mostAlong = 20

// validate refuses a comparison that lacks what all have, or contradicts itself.
func (c *Comparison) validate() error {
	w := c.Workload
	switch {
	case !isMetric(c.Metric):
		return invalid("of the unknown metric %.40q", c.Metric)
	case !slices.Contains(verdicts, c.Verdict):
		return invalid("with the unknown verdict %.40q", c.Verdict)
	case strings.TrimSpace(c.Base.Label) == "" || strings.TrimSpace(c.Side.Label) == "" || c.Base.Label == c.Side.Label:
		return invalid("whose labels, %.40q and %.40q, are empty or alike", c.Base.Label, c.Side.Label)
	case c.Time.IsZero():
		return invalid("without its time")
	case c.Rounds < 2 || c.Rounds > mostReads:
		return invalid("of %d rounds, not two or more", c.Rounds)
	case w.Gets <= 0 || w.Workers <= 0:
		return invalid("without Gets")
	case !(w.HitFraction >= 0 && w.HitFraction <= 1):
		return invalid("with an impossible share of existing keys, %g", w.HitFraction)
	case !(c.Confidence >= 0 && c.Confidence < 1):
		return invalid("with an impossible confidence, %g", c.Confidence)
	case c.Cache.Bytes < 0 || !(c.Cache.FractionOfDB >= 0 && c.Cache.FractionOfDB <= mostCounted):
		return invalid("with an impossible cache of %d bytes, %g of the database", c.Cache.Bytes, c.Cache.FractionOfDB)
	case c.Verdict != VerdictUnbelievable:
		return c.figures()
	case c.Difference != nil || c.Ratio != nil || c.Base.figured() || c.Side.figured():
		return invalid("with figures of runs that failed a self-check")
	case c.Metric != MetricIOs:
		return invalid("of %q in runs that failed a self-check, which only the line of %s reports", c.Metric, MetricIOs)
	}
	return nil
}

func isMetric(name string) bool {
	return name == MetricBytes || name == MetricCPU || ofReads(name)
}

// ofReads reports whether a metric counts reads per Get.
func ofReads(metric string) bool {
	components := readpath.Components()
	return metric == MetricIOs || slices.ContainsFunc(components[:], func(c readpath.Component) bool { return c.String() == metric })
}

func (c ComparedSide) figured() bool {
	return c.Estimate != nil || len(c.ByRound) > 0 || c.IOsPerGet != nil
}

// figures refuses figures that are impossible or contradict each other.
func (c *Comparison) figures() error {
	most := float64(mostCounted)
	if ofReads(c.Metric) {
		most = mostReads
	}
	none := false // a round counted nothing
	for _, s := range []ComparedSide{c.Base, c.Side} {
		if s.Estimate == nil || len(s.ByRound) != c.Rounds {
			return invalid("without the figures of %.40q in each of %d rounds", s.Label, c.Rounds)
		}
		for _, v := range s.ByRound {
			if err := checkRange(c.Metric, v, most); err != nil {
				return err
			}
			none = none || v == 0
		}
		if !s.Estimate.within(0, most) || s.Drift != nil && !s.Drift.within(-mostReads, mostReads) {
			return invalid("with an impossible interval of %.40q", s.Label)
		}
		if s.IOsPerGet != nil && !(*s.IOsPerGet >= 0 && *s.IOsPerGet <= mostReads) {
			return invalid("with %g I/Os per Get of %.40q, which cannot be", *s.IOsPerGet, s.Label)
		}
	}
	switch {
	case c.Difference == nil:
		return invalid("without its difference")
	case c.Ratio == nil && !none:
		return invalid("without its ratio")
	case c.Ratio != nil && none:
		return invalid("with a ratio to 0")
	case !c.Difference.within(-most, most) || c.Ratio != nil && !(c.Ratio.CI95[0] >= 0 && c.Ratio.ordered()):
		return invalid("with an impossible difference")
	}
	return nil
}

// ordered reports whether the mean lies in the interval.
func (e *Estimate) ordered() bool { return e.CI95[0] <= e.Mean && e.Mean <= e.CI95[1] }

// within reports whether figures from least to most can have this estimate.
func (e *Estimate) within(least, most float64) bool {
	return e.ordered() && e.Mean >= least && e.Mean <= most && e.CI95[0] >= -mostAlong*most && e.CI95[1] <= mostAlong*most
}

// invalid returns the error for a comparison that is refused.
func invalid(how string, args ...any) error {
	return fmt.Errorf("is a comparison "+how+": remove the line, or name another file", args...)
}
