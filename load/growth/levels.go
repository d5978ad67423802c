package growth

import (
	"math"

	"getio/engine/lsm"
)

// multiplier is Pebble's LevelMultiplier.
const multiplier = 10

// bottomShare is the share of the tree that Pebble aims to keep in L6.
const bottomShare = 1 - 1.0/multiplier

// sizes returns the bytes of L1 to L5 of a settled tree of the given size, and its base
// level, the target of compactions out of L0.
//
// A level that data flows through stays nearly full: input from above pushes it over its limit, and
// compactions take it just below. Only after the base level has moved up are levels below it still
// filling: since then, the tree has filled the new base level first, then the next one.
func (o *Options) sizes(size float64) (bytes [lsm.NumLevels]float64, base int) {
	base = o.baseLevel(size)
	if base == lastLevel {
		return bytes, base
	}
	began := o.beganAt(base)
	bytes, _ = o.sizes(began)
	inflow := size - began
	for level := base; level < lastLevel; level++ {
		inflow += bytes[level]
		bytes[level] = min(inflow, o.settled(size, base, level))
		inflow -= bytes[level]
	}
	return bytes, base
}

// settled returns the mean size of a full level. The last compactions took it about a table
// below its limit, which matters less in larger levels: the natural trees of the tests
// reach 0.95 of the limit in the base level, 0.985 one below, 0.995 two below.
func (o *Options) settled(size float64, base, level int) float64 {
	missing := 0.05 * math.Pow(0.3, float64(level-base))
	return (1 - missing) * o.limit(size, base, level)
}

// baseLevel returns the target level of compactions out of L0. Pebble moves it up by one
// when its limit, at a factor of ten per level, exceeds LBaseMaxBytes (v1.1.5:
// compaction_picker.go, initLevelMaxBytes).
func (o *Options) baseLevel(size float64) int {
	base := lastLevel
	for base > 1 && size > o.beganAt(base-1) {
		base--
	}
	return base
}

// beganAt returns the tree size at which the base level moves up to base.
func (o *Options) beganAt(base int) float64 {
	return float64(o.LBaseMaxBytes) * math.Pow(multiplier, float64(lastLevel-1-base)) / bottomShare
}

// limit returns the size above which a level is compacted. It is LBaseMaxBytes in the base
// level and grows by equal factors from there to L6.
func (o *Options) limit(size float64, base, level int) float64 {
	first := float64(o.LBaseMaxBytes)
	factor := math.Pow(size*bottomShare/first, 1/float64(lastLevel-base))
	return first * math.Pow(factor, float64(level-base))
}

// lag returns the factor by which L6 has more tables after the base level moved up. The
// target file size of L6 doubles then, but tables keep their size until they are
// compacted. Relative to the size at which the base level moved, natural trees have 1.3 to
// 1.5 times the tables at 1.3, 1.1 times at 2.2, and no more at 5.
func (o *Options) lag(size float64, base int) float64 {
	const most, fades = 0.45, 0.8
	if base >= lastLevel-1 {
		return 1
	}
	return 1 + most*math.Exp(-max(size/o.beganAt(base)-1, 0)/fades)
}
