package growth

import (
	"encoding/binary"
	"math"
	"sort"

	"getio/engine/lsm"
)

// levelStats is how the tables of a level lie in the key space.
type levelStats struct {
	tables   int
	records  int64
	coverage float64 // share of the key space inside tables
	gaps     float64 // share of tables that do not begin where the one before ends
	width    float64 // CV of the tables' widths
	size     float64 // CV of records per table
	reach    float64 // CV of the tables' shares of visits
	both     float64 // correlation of width and records
	visited  float64 // share of random keys for which the level is visited
	hot      float64 // share of visits that go to the most visited half of the filter bytes
}

// extent is a table on a key space of length 1. A Get visits the first table
// whose last key is not below its own: reach is the share of keys that visit it.
type extent struct{ from, to, reach, records float64 }

func extents(l lsm.Level) []extent {
	var list []extent
	for _, t := range l.TableList {
		list = append(list, extent{from: position(t.Smallest), to: position(t.Largest), records: float64(t.Records)})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].from < list[j].from })
	end := 0.0
	for i := range list {
		list[i].reach = list[i].to - end
		end = list[i].to
	}
	return list
}

func position(k lsm.Key) float64 {
	return float64(binary.BigEndian.Uint64(k[:8])) / (1 << 64)
}

func statsOf(l lsm.Level) levelStats {
	list := extents(l)
	var coverage, gaps, records float64
	for _, e := range list {
		coverage += e.to - e.from
		records += e.records
	}
	const narrow = 0.02 // of a table's mean width: less lies between neighbours without a gap
	for i := range list[1:] {
		if list[i+1].from-list[i].to > narrow*coverage/float64(len(list)) {
			gaps++
		}
	}
	width := func(e extent) float64 { return e.to - e.from }
	size := func(e extent) float64 { return e.records }
	reach := func(e extent) float64 { return e.reach }
	v := levelStats{
		tables: len(list), records: int64(records), coverage: coverage, gaps: gaps / float64(len(list)),
		width: variation(list, width), size: variation(list, size), reach: variation(list, reach),
		both: correlation(list, width, size), visited: list[len(list)-1].to,
	}
	v.hot = hotHalf(list, records) / v.visited
	return v
}

// hotHalf is the visits to the most visited tables that hold half of the records.
func hotHalf(list []extent, records float64) float64 {
	list = append([]extent(nil), list...)
	sort.Slice(list, func(i, j int) bool {
		return list[i].reach*list[j].records > list[j].reach*list[i].records
	})
	var visits, room float64 = 0, records / 2
	for _, e := range list {
		share := min(1, room/e.records)
		visits += share * e.reach
		room -= share * e.records
	}
	return visits
}

func mean(list []extent, of func(extent) float64) (sum float64) {
	for _, e := range list {
		sum += of(e) / float64(len(list))
	}
	return sum
}

func variation(list []extent, of func(extent) float64) float64 {
	m := mean(list, of)
	return math.Sqrt(mean(list, func(e extent) float64 { return (of(e) - m) * (of(e) - m) })) / m
}

func correlation(list []extent, a, b func(extent) float64) float64 {
	ma, mb := mean(list, a), mean(list, b)
	product := mean(list, func(e extent) float64 { return (a(e) - ma) * (b(e) - mb) })
	deviations := ma * mb * variation(list, a) * variation(list, b)
	if deviations == 0 {
		return 0
	}
	return product / deviations
}

// consulted is the number of tables that a Get of an existing key visits, in
// the mean: one of each level above the record's own in which some table ends
// at the key or after it, and the record's table.
func consulted(s *lsm.Shape) float64 {
	var levels [][]extent
	var records float64
	for _, l := range s.Levels {
		levels = append(levels, extents(l))
		records += float64(l.Records)
	}
	var visits float64
	const samples = 16 // keys per table
	for i, list := range levels {
		for _, e := range list {
			for k := range samples {
				key := e.from + (e.to-e.from)*(float64(k)+0.5)/samples
				n := 1.0
				for _, above := range levels[:i] {
					if above[len(above)-1].to >= key {
						n++
					}
				}
				visits += n * e.records / samples / records
			}
		}
	}
	return visits
}
