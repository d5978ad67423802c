package workload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"

	"getio/numbers/units"
)

// Warmup is the rule for the number of Gets before the measured ones.
type Warmup struct {
	auto     bool
	agreed   bool    // the longest automatic warm-up of all sides of an alternation
	fraction float64 // of the keys
	gets     int64
	unknown  string // the rule of another getio, in its words
}

// AutoWarmup warms up until I/Os per Get are steady.
var AutoWarmup = Warmup{auto: true}

// WarmupGets warms up with n Gets.
func WarmupGets(n int64) Warmup { return Warmup{gets: n} }

// AgreedWarmup warms up with n Gets, the most that any of several sides needed with auto.
func AgreedWarmup(n int64) Warmup { return Warmup{agreed: true, gets: n} }

// WarmupOneIn warms up with one Get per keys keys.
func WarmupOneIn(keys int64) Warmup { return Warmup{fraction: 1 / float64(keys)} }

// ParseWarmup parses "auto", a number of Gets, or a share of the keys such as "0.05%", which the published study used.
func ParseWarmup(s string) (Warmup, error) {
	if s == "auto" {
		return AutoWarmup, nil
	}
	if n, err := units.ParseCount(s); err == nil {
		return WarmupGets(n), nil
	}
	if share, err := units.ParseShare(s); err == nil {
		return Warmup{fraction: share}, nil
	}
	return Warmup{}, errors.New("want auto, a number of Gets, or a share of the keys such as 0.05%")
}

// Number returns the number of Gets if the rule is one.
func (w Warmup) Number() (gets int64, ok bool) {
	return w.gets, !w.auto && w.fraction == 0 && w.unknown == ""
}

// Auto reports whether the number of Gets depends on what they show.
func (w Warmup) Auto() bool { return w.auto }

// Agreed reports whether the number of Gets is what several sides agreed on.
func (w Warmup) Agreed() bool { return w.agreed }

// OfKeys reports whether the number of Gets is a share of the keys.
func (w Warmup) OfKeys() bool { return w.fraction > 0 }

// Gets returns the number of Gets for a database of so many keys; 0 if it depends on what they show.
func (w Warmup) Gets(keys int64) int64 { return w.gets + int64(math.Round(w.fraction*float64(keys))) }

// String returns the rule as ParseWarmup reads it.
func (w Warmup) String() string {
	switch {
	case w.unknown != "":
		return w.unknown
	case w.auto:
		return "auto"
	case w.agreed: // must differ from a number that the user gave
		return agreedRule
	case w.fraction > 0:
		return strconv.FormatFloat(w.fraction*100, 'g', -1, 64) + "%"
	}
	return strconv.FormatInt(w.gets, 10)
}

// MarshalText returns the rule as ParseWarmup reads it.
func (w Warmup) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads a rule as ParseWarmup does.
func (w *Warmup) UnmarshalText(text []byte) (err error) {
	if *w, err = ParseWarmup(string(text)); err != nil {
		err = fmt.Errorf("invalid warm-up %q: %w", text, err)
	}
	return err
}

const agreedRule = "auto of all sides"

// RecordedWarmup returns the rule that a record names. How many Gets sides agreed on is not part of it. A rule that this
// getio does not know, of another one, equals only itself.
func RecordedWarmup(rule string) Warmup {
	if rule == agreedRule {
		return AgreedWarmup(0)
	}
	w, err := ParseWarmup(rule)
	if err != nil {
		return Warmup{unknown: cmp.Or(rule, "not recorded")}
	}
	return w
}
