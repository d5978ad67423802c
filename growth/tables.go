package growth

import (
	"encoding/binary"
	"math"

	"getio/lsm"
)

// tables lays out a level's tables.
func (t total) tables(s stream) []lsm.Table {
	if t.count == 0 {
		return nil
	}
	h := habitOf(t)
	count := min(t.count, int(min(t.records, math.MaxInt)))
	records := make([]float64, count)
	widths := make([]float64, count)
	gaps := make([]float64, count+1) // before each table, and after the last
	for i := range count {
		records[i] = math.Exp(h.spread * s.normal())
		widths[i] = records[i] / math.Exp(h.density*s.normal())
	}
	for i := range gaps {
		if s.uniform() < h.gaps {
			gaps[i] = s.exponential()
		}
	}
	return place(t.records, records, scaled(widths, h.coverage), scaled(gaps, 1-h.coverage))
}

// scaled makes shares sum to sum; shares that are all zero stay so.
func scaled(shares []float64, sum float64) []float64 {
	var total float64
	for _, share := range shares {
		total += share
	}
	if total == 0 {
		return shares
	}
	for i := range shares {
		shares[i] *= sum / total
	}
	return shares
}

// place gives each table its records, at least one and together exactly total,
// and its bounds: gaps and widths are shares of the key space in key order.
func place(total uint64, records, widths, gaps []float64) []lsm.Table {
	tables := make([]lsm.Table, len(records))
	counts := apportion(total, records)
	var space float64
	for i := range widths {
		space += widths[i] + gaps[i]
	}
	space += gaps[len(widths)]
	var at float64
	next := uint64(0) // first key that is free
	for i := range tables {
		at += gaps[i] / space
		smallest := max(keyAt(at), next)
		at += widths[i] / space
		largest := keyAt(at)
		if i < len(tables)-1 || gaps[i+1] > 0 {
			largest--
		}
		largest = max(largest, smallest)
		next = largest + 1
		tables[i] = lsm.Table{Smallest: bound(smallest), Largest: bound(largest), Records: int64(counts[i])}
	}
	return tables
}

// apportion divides total by shares into whole numbers of at least one, as
// rounded sums so that they add up exactly. There are no more shares than total.
func apportion(total uint64, shares []float64) []uint64 {
	counts := make([]uint64, len(shares))
	scaled(shares, float64(total-uint64(len(shares))))
	var sum float64
	var given uint64
	for i, share := range shares {
		sum += share
		upTo := min(uint64(sum), total-uint64(len(shares)))
		counts[i] = 1 + upTo - given
		given = upTo
	}
	counts[len(counts)-1] += total - uint64(len(shares)) - given
	return counts
}

// keyAt is the first 64 bits of the key at a share of the key space.
func keyAt(share float64) uint64 {
	if share >= 1 {
		return math.MaxUint64
	}
	return uint64(share * (1 << 64))
}

func bound(key uint64) lsm.Key {
	return binary.BigEndian.AppendUint64(nil, key)
}
