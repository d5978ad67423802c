package growth

import (
	"math"

	"getio/lsm"
)

// multiplier is Pebble's LevelMultiplier: L6 is to hold nine tenths.
const multiplier = 10

// levels distributes the keys over levels and tables.
func (o *Options) levels(keys uint64) (totals [lsm.NumLevels]total) {
	// The size of the tree follows from its levels, since records above L6 are
	// larger, and the levels from its size. Each round takes nine tenths off
	// the error at least.
	size := float64(keys) * o.LastRecord
	var upper [lsm.NumLevels]float64
	var base int
	for range 12 {
		upper, base = o.sizes(size)
		size = float64(keys) * o.LastRecord
		for level, bytes := range upper {
			if level < lastLevel {
				size += bytes * (1 - o.LastRecord/o.UpperRecord)
			}
		}
	}
	rest := keys
	for level := range lastLevel {
		n := min(rest, uint64(upper[level]/o.UpperRecord))
		rest -= n
		totals[level] = o.total(level, base, n)
	}
	totals[lastLevel] = o.total(lastLevel, base, rest)
	return totals
}

// sizes gives the bytes of L0 to L5 of a settled tree of the given size, and
// its base level, where compactions out of L0 go.
//
// A level that data flows through is as full as it may be: what comes from
// above pushes it over its limit, and compactions take it just below. Only after
// the base level has moved up are levels below it still filling: a tree that
// grows by F bytes from there on fills the new base first, then the next.
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
		bytes[level] = min(inflow, o.limit(size, base, level))
		inflow -= bytes[level]
	}
	return bytes, base
}

// baseLevel is the level that compactions out of L0 go to. Pebble moves it up
// when a tenth of its limit, were it filled, exceeds LBaseMaxBytes
// (compaction_picker.go, initLevelMaxBytes).
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

// bottomShare is the share of the tree that Pebble means to be in L6.
const bottomShare = 1 - 1.0/multiplier

// limit is the size above which a level is compacted: LBaseMaxBytes in the base
// level, and from there on by equal factors up to L6.
func (o *Options) limit(size float64, base, level int) float64 {
	first := float64(o.LBaseMaxBytes)
	factor := math.Pow(size*bottomShare/first, 1/float64(lastLevel-base))
	return first * math.Pow(factor, float64(level-base))
}

// total counts a level's tables by their mean size.
func (o *Options) total(level, base int, records uint64) total {
	t := total{level: level, depth: level - base, records: records}
	if records == 0 {
		return t
	}
	bytes, target := o.UpperRecord, o.TargetFileSize[0]
	if level > 0 {
		target = o.TargetFileSize[1+t.depth]
	}
	if level == lastLevel {
		bytes = o.LastRecord
	}
	mean := float64(target) * habitOf(t).size
	t.count = max(1, int(math.Round(float64(records)*bytes/mean)))
	return t
}
