package growth

import (
	"math"

	"getio/tree/lsm"
)

// multiplier is Pebble's LevelMultiplier: L6 is to hold nine tenths.
const multiplier = 10

// bottomShare is the share of the tree that Pebble means to be in L6.
const bottomShare = 1 - 1.0/multiplier

// sizes gives the bytes of L1 to L5 of a settled tree of the given size, and
// its base level, where compactions out of L0 go.
//
// A level that data flows through is as full as it may be: what comes from
// above pushes it over its limit, and compactions take it just below. Only after
// the base level has moved up are levels below it still filling: a tree that
// has grown by F bytes since then has filled the new base first, then the next.
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

// settled is the mean size of a level that is full. The last compactions took
// it below its limit by a table or so, which is the less the larger the level:
// the natural trees of the tests are at 0.95 of the limit in the base level, at
// 0.985 one below, at 0.995 two below.
func (o *Options) settled(size float64, base, level int) float64 {
	missing := 0.05 * math.Pow(0.3, float64(level-base))
	return (1 - missing) * o.limit(size, base, level)
}

// baseLevel is the level that compactions out of L0 go to. Pebble moves it up
// by one when its limit at a factor of ten per level exceeds LBaseMaxBytes
// (v1.1.5: compaction_picker.go, initLevelMaxBytes).
func (o *Options) baseLevel(size float64) int {
	base := lastLevel
	for base > 1 && size > o.beganAt(base-1) {
		base--
	}
	return base
}

// beganAt is the size of tree at which the base level moved up to base.
func (o *Options) beganAt(base int) float64 {
	return float64(o.LBaseMaxBytes) * math.Pow(multiplier, float64(lastLevel-1-base)) / bottomShare
}

// limit is the size above which a level is compacted: LBaseMaxBytes in the base
// level, and from there on by equal factors up to L6.
func (o *Options) limit(size float64, base, level int) float64 {
	first := float64(o.LBaseMaxBytes)
	factor := math.Pow(size*bottomShare/first, 1/float64(lastLevel-base))
	return first * math.Pow(factor, float64(level-base))
}

// lag is how many more tables L6 has because the base level moved up: its
// target file size doubled then, and tables keep their size until compactions
// come to them. Natural trees have 1.3 to 1.5 times the tables when they are
// 1.3 times the size at which the base moved, 1.1 times at 2.2, none more at 5.
func (o *Options) lag(size float64, base int) float64 {
	const most, fades = 0.45, 0.8
	if base >= lastLevel-1 {
		return 1
	}
	return 1 + most*math.Exp(-max(size/o.beganAt(base)-1, 0)/fades)
}
