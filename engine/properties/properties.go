// Package properties prints the properties of tables as Pebble's own tool does.
package properties

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"getio/engine"
	"getio/engine/lsm"
)

// Write writes the sums of the tables' properties per level, in exactly the form of
// `pebble db properties` of Pebble v1.1.5 (tool/db.go, runProperties), so that scripts
// which read that table can read this one.
func Write(w io.Writer, levels [lsm.NumLevels]engine.LevelProperties) error {
	columns := append(levels[:], totalOf(levels))
	tw := tabwriter.NewWriter(w, 2, 1, 4, ' ', 0)
	fmt.Fprintln(tw, "\tL0\tL1\tL2\tL3\tL4\tL5\tL6\tTOTAL")
	for _, row := range rows {
		fmt.Fprint(tw, row.name)
		for i := range columns {
			fmt.Fprint(tw, "\t")
			if row.of != nil {
				fmt.Fprint(tw, row.text(*row.of(&columns[i])))
			}
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// rows are the rows of the table; a heading has no property.
var rows = []struct {
	name string
	text func(uint64) string
	sum  func(*uint64, uint64) // adds a level's to the total
	of   func(*engine.LevelProperties) *uint64
}{
	{"count", plain, add, func(p *engine.LevelProperties) *uint64 { return &p.Count }},
	{name: "seq num"},
	{"  smallest", plain, smallest, func(p *engine.LevelProperties) *uint64 { return &p.SmallestSeq }},
	{"  largest", plain, largest, func(p *engine.LevelProperties) *uint64 { return &p.LargestSeq }},
	{name: "size"},
	{"  data", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.DataSize }},
	{"    blocks", plain, add, func(p *engine.LevelProperties) *uint64 { return &p.DataBlocks }},
	{"  index", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.IndexSize }},
	{"    blocks", plain, add, func(p *engine.LevelProperties) *uint64 { return &p.IndexBlocks }},
	{"    top-level", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.TopIndexSize }},
	{"  filter", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.FilterSize }},
	{"  raw-key", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.RawKeySize }},
	{"  raw-value", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.RawValueSize }},
	{"  pinned-key", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.PinnedKeySize }},
	{"  pinned-value", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.PinnedValueSize }},
	{"  point-del-key-size", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.PointDelKeySize }},
	{"  point-del-value-size", toolBytes, add, func(p *engine.LevelProperties) *uint64 { return &p.PointDelValueSize }},
	{name: "records"},
	{"  set", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.Sets }},
	{"  delete", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.Deletes }},
	{"  delete-sized", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.SizedDeletes }},
	{"  range-delete", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.RangeDeletes }},
	{"  range-key-sets", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.RangeKeySets }},
	{"  range-key-unsets", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.RangeKeyUnsets }},
	{"  range-key-deletes", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.RangeKeyDels }},
	{"  merge", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.Merges }},
	{"  pinned", toolCount, add, func(p *engine.LevelProperties) *uint64 { return &p.PinnedKeys }},
}

func totalOf(levels [lsm.NumLevels]engine.LevelProperties) (total engine.LevelProperties) {
	for i := range levels {
		for _, row := range rows {
			if row.of != nil {
				row.sum(row.of(&total), *row.of(&levels[i]))
			}
		}
	}
	return total
}

func add(total *uint64, of uint64)     { *total += of }
func largest(total *uint64, of uint64) { *total = max(*total, of) }

// smallest passes over levels without tables.
func smallest(total *uint64, of uint64) {
	if of != 0 && (*total == 0 || of < *total) {
		*total = of
	}
}

func plain(n uint64) string     { return fmt.Sprintf("%d", n) }
func toolBytes(n uint64) string { return toolNumber(n, 1024, "B", "KB", "MB", "GB", "TB", "PB", "EB") }
func toolCount(n uint64) string { return toolNumber(n, 1000, "", "K", "M", "G", "T", "P", "E") }

// toolNumber rounds as the library does (Pebble: internal/humanize): two digits below ten
// of a unit, whole numbers above, in units of 1024 bytes that it calls KB. Its logarithm
// puts some exact powers of 1000 below their unit.
func toolNumber(n uint64, base float64, units ...string) string {
	if n < 10 {
		return fmt.Sprintf("%d%s", n, units[0])
	}
	exponent := math.Floor(math.Log(float64(n)) / math.Log(base))
	v := math.Floor(float64(n)/math.Pow(base, exponent)*10+0.5) / 10
	if v < 10 {
		return fmt.Sprintf("%.1f%s", v, units[int(exponent)])
	}
	return fmt.Sprintf("%.0f%s", v, units[int(exponent)])
}
