package growth

import (
	"encoding/binary"
	"math"

	"getio/engine/lsm"
)

// tables draws a level's tables: their records, widths and the gaps between them.
func (t levelPlan) tables(s stream) []lsm.Table {
	h := t.arrangement
	records := make([]float64, t.count)
	widths := make([]float64, t.count)
	for i := range records {
		records[i] = s.size(h.spread)
		widths[i] = math.Pow(records[i], h.follow) * math.Exp(h.scatter*s.normal())
	}
	scale(widths, h.coverage)
	gaps := t.gaps(s)
	scale(gaps, 1-h.coverage)
	return t.place(apportion(t.records, records), widths, gaps)
}

// size draws a table's size, with mean 1. Sizes between a split at the end of a compaction
// and the target size are about equally frequent.
func (s stream) size(spread float64) float64 {
	const narrowest = 0.02
	half := spread * math.Sqrt(3) // of a uniform distribution with that deviation
	return max(1+half*(2*s.uniform()-1), narrowest)
}

// gaps draws the gaps before each table and after the last. The ends of the key space are
// in a gap as often as any other place. A levelPlan that ends before the key space does
// ends with a table. There is at least one gap, to hold the part that is not covered.
func (t levelPlan) gaps(s stream) []float64 {
	gaps := make([]float64, t.count+1)
	none := true
	for i := range gaps {
		chance := t.arrangement.gaps
		switch {
		case i == t.count && t.to < 1:
			chance = 0
		case i == 0 || i == t.count:
			chance = 1 - t.arrangement.coverage
		}
		if s.uniform() < chance {
			gaps[i] = s.exponential()
			none = false
		}
	}
	if none {
		gaps[0] = 1
	}
	return gaps
}

// scale scales shares so that they add up to sum, unless all are zero.
func scale(shares []float64, sum float64) {
	var total float64
	for _, share := range shares {
		total += share
	}
	if total == 0 {
		return
	}
	for i := range shares {
		shares[i] *= sum / total
	}
}

// place returns the tables with their bounds. gaps and widths are shares of the
// levelPlan's part of the key space, in key order.
func (t levelPlan) place(records []uint64, widths, gaps []float64) []lsm.Table {
	space := gaps[len(widths)]
	for i := range widths {
		space += gaps[i] + widths[i]
	}
	unit := (t.to - t.from) / space
	tables := make([]lsm.Table, len(records))
	at := t.from
	free := keyAt(at) // the first key that no table holds
	for i := range tables {
		at += gaps[i] * unit
		smallest := max(keyAt(at), free)
		at += widths[i] * unit
		free = max(keyAt(at), smallest+records[i])
		tables[i] = lsm.Table{Smallest: bound(smallest), Largest: bound(free - 1), Records: int64(records[i])}
	}
	return tables
}

// keyAt returns the first 64 bits of the key at a share of the key space. It leaves the
// last 2^40 of them unused, so that rounding cannot push a table beyond the end.
func keyAt(share float64) uint64 {
	const end = 1<<64 - 1<<40
	return min(uint64(max(share, 0)*end), end)
}

func bound(key uint64) lsm.Key {
	return binary.BigEndian.AppendUint64(nil, key)
}

// apportion divides total in proportion to shares into integers of at least one that add
// up to total. total must be at least the number of shares.
func apportion(total uint64, shares []float64) []uint64 {
	n := uint64(len(shares))
	var sum float64
	for _, share := range shares {
		sum += share
	}
	counts := make([]uint64, n)
	beyond := total - n // what remains when each has one
	var upTo float64
	var given uint64
	for i, share := range shares {
		upTo += share
		until := min(uint64(upTo/sum*float64(beyond)), beyond)
		counts[i] = 1 + until - given
		given = until
	}
	counts[n-1] += beyond - given
	return counts
}
