package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"getio/numbers/steady"
)

// Warmup says how many Gets come before the measured ones.
type Warmup struct {
	auto     bool
	agreed   bool    // auto was found out for all sides of an alternation: as many Gets
	fraction float64 // of the keys
	gets     int64
}

// Auto warms up until I/Os per Get have come to rest.
var Auto = Warmup{auto: true}

// Gets warms up with n Gets.
func Gets(n int64) Warmup { return Warmup{gets: n} }

// agreed warms up with n Gets, the most that one of several sides took by the rule auto.
func agreed(n int64) Warmup { return Warmup{agreed: true, gets: n} }

// OneIn warms up with one Get for so many keys.
func OneIn(keys int64) Warmup { return Warmup{fraction: 1 / float64(keys)} }

// ParseWarmup reads "auto", a number of Gets, or a percentage of the keys such
// as "0.05%", which is what the published study used.
func ParseWarmup(s string) (Warmup, error) {
	if s == "auto" {
		return Auto, nil
	}
	if digits, ok := strings.CutSuffix(s, "%"); ok {
		p, err := strconv.ParseFloat(digits, 64)
		if err != nil || !(p >= 0) || math.IsInf(p, 0) {
			return Warmup{}, fmt.Errorf("warm-up %q is no percentage of the keys: write it like 0.05%%", s)
		}
		return Warmup{fraction: p / 100}, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return Warmup{}, fmt.Errorf("warm-up %q is neither auto, a number of Gets, nor a percentage of the keys such as 0.05%%", s)
	}
	return Warmup{gets: n}, nil
}

// Number is the number of Gets, if the rule is one.
func (w Warmup) Number() (gets int64, ok bool) { return w.gets, !w.auto && w.fraction == 0 }

// String is the rule as it was given.
func (w Warmup) String() string {
	switch {
	case w.auto:
		return "auto"
	case w.agreed: // not to be taken for a number that was asked for
		return "auto of all sides"
	case w.fraction > 0:
		return strconv.FormatFloat(w.fraction*100, 'g', -1, 64) + "%"
	}
	return strconv.FormatInt(w.gets, 10)
}

// fixed is the number of warm-up Gets for a database of so many keys, if the
// rule is not auto.
func (w Warmup) fixed(keys int64) int64 {
	return w.gets + int64(w.fraction*float64(keys))
}

// Bounds of an automatic warm-up, in windows: a line through fewer is not
// believed, and what has not come to rest after the most is measured all the
// same and reported as not steady.
const (
	minWarmupWindows = 10
	maxWarmupWindows = 400
	keptWindows      = 40 // merged by twos beyond it
)

// settled tells whether the second half of a warm-up has come to rest. The
// first half, with the cold cache in it, says nothing about that.
func settled(windows []steady.Window, minGets, gets int64) bool {
	drift, ok := steady.DriftOf(windows[len(windows)/2:], minGets, gets)
	return ok && drift.Steady()
}
