package growth

import (
	"math"

	"getio/engine/lsm"
)

// nodeBytes is the memtable overhead per record. With it, a record of 142 bytes takes 182,
// and 737,500 records fill 128 MiB. It follows from the sizes of the last flushes in
// natural loads of 2M to 20M keys.
const nodeBytes = 40

// flush returns the number of records that fill a memtable.
func (o *Options) flush() float64 {
	return float64(o.MemTableSize) / float64(o.RawRecord+nodeBytes)
}

// plan distributes the keys over levels and tables.
func (o *Options) plan(keys uint64) plan {
	flush := o.flush()
	if float64(keys) <= flush {
		return o.oneFlush(keys)
	}
	records, size, base := o.split(float64(keys), flush)
	var p plan
	rest := keys
	for level := range p {
		n := rest
		if level < lastLevel {
			n = min(rest, uint64(records[level]))
		}
		rest -= n
		p[level] = o.levelPlan(n, level, base)
	}
	p[0].count = int(min(max(uint64(p[0].count), splits*coverageL0), p[0].records))
	last := &p[lastLevel]
	last.count = int(min(float64(last.count)*o.lag(size, base), float64(last.records)))
	if base == lastLevel-1 && float64(keys) <= young*flush {
		p.halve()
	}
	return p
}

// oneFlush returns the plan for keys that fit a memtable: L0 tables side by side.
func (o *Options) oneFlush(keys uint64) (p plan) {
	p[0] = o.levelPlan(keys, 0, lastLevel)
	p[0].arrangement, p[0].to = arrangementFlush, 1
	p[0].count = o.tables(p[0], 0, lastLevel)
	return p
}

// In a young tree, the first compactions out of L0 find no base level and go to L6, one part of the
// key space at a time. When L6 is large enough, L5 becomes the base level and takes the rest: 0.55
// and 0.56 in trees of 1M keys. Up to three flushes, the two levels hardly overlap.
const (
	young     = 3
	youngBase = 0.56
)

// halve gives L6 the first part of the key space and L5 the rest, at equal density.
func (p *plan) halve() {
	last, base := &p[lastLevel], &p[lastLevel-1]
	last.to = float64(last.records) / float64(last.records+base.records)
	base.from = last.to
	base.arrangement.coverage = 1
}

// split returns the records of L0 to L5, the bytes of the tree and its base level.
func (o *Options) split(keys, flush float64) (records [lsm.NumLevels]float64, size float64, base int) {
	// The size of the tree depends on its levels, since records above L6 are larger, and
	// the levels depend on the size. Each iteration removes most of the error.
	size = keys * o.LastRecord
	var bytes [lsm.NumLevels]float64
	for range 12 {
		bytes, base = o.sizes(size)
		if base == lastLevel-1 && keys <= 2*flush {
			bytes[base] = min(youngBase*size, o.settled(size, base, base))
		}
		bytes[0] = coverageL0 * lastFlush(keys, flush) * o.UpperRecord
		size = keys * o.LastRecord
		for _, b := range bytes {
			size += b * (1 - o.LastRecord/o.UpperRecord)
		}
	}
	for level, b := range bytes {
		records[level] = b / o.UpperRecord
	}
	return records, size, base
}

// splits is the number of tables in a small flush, which is split where previous L0 tables
// ended. Natural trees have 12 to 28.
const splits = 20

// lastFlush returns the number of records in the last flush, after a number of full memtables.
func lastFlush(keys, flush float64) float64 {
	if rest := math.Mod(keys, flush); rest > 0 {
		return rest
	}
	return flush
}

func (o *Options) levelPlan(records uint64, level, base int) levelPlan {
	t := newLevelPlan(records, level, base)
	t.count = o.tables(t, level, base)
	return t
}

func newLevelPlan(records uint64, level, base int) levelPlan {
	t := levelPlan{records: records, to: 1, arrangement: arrangementOf(level, base)}
	if level == 0 {
		t.to = visitedL0
	}
	return t
}

// tables returns the number of tables of a level, from their mean size.
func (o *Options) tables(t levelPlan, level, base int) int {
	if t.records == 0 {
		return 0
	}
	bytes, target := o.record(level), o.TargetFileSize[0]
	if level > 0 {
		target = o.TargetFileSize[1+level-base]
	}
	count := math.Round(float64(t.records) * bytes / float64(target) / t.arrangement.size)
	return int(min(max(count, 1), float64(t.records)))
}
