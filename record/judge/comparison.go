package judge

import (
	"errors"
	"fmt"
	"math"

	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/record"
)

// Set returns an empty set that refuses comparisons whose verdicts do not follow from their rounds.
func Set() record.Set { return record.Set{Verify: verify} }

func verify(c *record.Comparison) error {
	switch {
	case c.Verdict == record.VerdictUnbelievable:
	case !averages(c):
		return errors.New("is a comparison whose means do not follow from its rounds: remove the line, or name another file")
	case c.Verdict != Verdict(c):
		return fmt.Errorf("is a comparison whose verdict, %q, is not what its figures say: remove the line, or name another file", c.Verdict)
	}
	return nil
}

// StillDrifts reports whether the side is not steady: the mean drift of its rounds breaks the
// rule for single runs, and their spread does not account for it. In short runs the drift
// of each by itself is mostly noise, which differs from round to round; the drift of a
// cache that still fills does not. Records without IOsPerGet are judged by the relative
// drift alone, as they were when they were made.
func StillDrifts(c *record.ComparedSide) bool {
	if c.Drift == nil {
		return false
	}
	mean := math.Inf(1)
	if c.IOsPerGet != nil {
		mean = *c.IOsPerGet
	}
	return !steady.Drift{Relative: c.Drift.Mean, Mean: mean}.Steady() && c.Drift.Excludes(0)
}

// Estimate returns the mean of at least two independent values, with its interval of a confidence by Student's t.
func Estimate(values []float64, confidence float64) record.Estimate {
	e, _ := interval.Mean(values)
	lo, hi := e.Interval(confidence)
	return record.Estimate{Mean: e.Mean, CI95: [2]float64{lo, hi}}
}

// Difference returns the difference and the ratio over the rounds, with intervals of a confidence. ratio is nil if a figure
// is not above 0.
func Difference(c *record.Comparison, confidence float64) (difference record.Estimate, ratio *record.Estimate) {
	var differences, logs []float64
	for i, base := range c.Base.ByRound {
		side := c.Side.ByRound[i]
		differences = append(differences, side-base)
		if base > 0 && side > 0 {
			logs = append(logs, math.Log(side/base))
		}
	}
	if len(logs) == len(differences) {
		e := Estimate(logs, confidence)
		ratio = &record.Estimate{Mean: math.Exp(e.Mean), CI95: [2]float64{math.Exp(e.CI95[0]), math.Exp(e.CI95[1])}}
	}
	return Estimate(differences, confidence), ratio
}

// Verdict returns the verdict that follows from the intervals and the drifts.
func Verdict(c *record.Comparison) string {
	e, equal, ratio := c.Difference, 0.0, c.Ratio
	if e != nil && c.Confidence > 0 {
		e = new(record.Estimate)
		*e, ratio = Difference(c, c.Confidence)
	}
	if ratio != nil {
		e, equal = ratio, 1
	}
	switch {
	case e == nil:
		return record.VerdictUnbelievable
	case c.Base.Drift == nil || c.Side.Drift == nil:
		return record.VerdictTooFewGets
	case StillDrifts(&c.Base) || StillDrifts(&c.Side):
		return record.VerdictUnsteady
	case !e.Excludes(equal):
		return record.VerdictNone
	case e.Mean < equal:
		return record.VerdictLess
	}
	return record.VerdictMore
}

// averages reports whether all means are those of the rounds.
func averages(c *record.Comparison) bool {
	base, side := Estimate(c.Base.ByRound, interval.Usual).Mean, Estimate(c.Side.ByRound, interval.Usual).Mean
	difference, ratio := Difference(c, interval.Usual)
	// The means may differ by rounding.
	off := (base + side) * 1e-9
	return math.Abs(c.Base.Estimate.Mean-base) <= off && math.Abs(c.Side.Estimate.Mean-side) <= off &&
		math.Abs(c.Difference.Mean-difference.Mean) <= off && (c.Ratio == nil || math.Abs(c.Ratio.Mean-ratio.Mean) <= c.Ratio.Mean*1e-9)
}
