package report

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"getio/engine"
	"getio/tree/lsm"
)

// Properties writes the sums of the tables' properties per level, in exactly the form of
// `pebble db properties` of Pebble v1.1.5 (tool/db.go, runProperties), so that scripts
// which read that table can read this one.
func Properties(w io.Writer, levels [lsm.NumLevels]engine.LevelProperties) error {
	columns := append(levels[:], totalProperties(levels))
	tw := tabwriter.NewWriter(w, 2, 1, 4, ' ', 0)
	fmt.Fprintln(tw, "\tL0\tL1\tL2\tL3\tL4\tL5\tL6\tTOTAL")
	for _, row := range propertyRows {
		fmt.Fprint(tw, row.name)
		for i := range columns {
			fmt.Fprint(tw, "\t")
			if row.text != nil {
				fmt.Fprint(tw, row.text(&columns[i]))
			}
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}

// propertyRow is one row of the table; a heading has no text.
type propertyRow struct {
	name string
	text func(*engine.LevelProperties) string
}

type levelProperties = engine.LevelProperties

var propertyRows = []propertyRow{
	{"count", func(p *levelProperties) string { return plain(uint64(p.Count)) }},
	{"seq num", nil},
	{"  smallest", func(p *levelProperties) string { return plain(p.SmallestSeq) }},
	{"  largest", func(p *levelProperties) string { return plain(p.LargestSeq) }},
	{"size", nil},
	{"  data", func(p *levelProperties) string { return toolBytes(p.DataSize) }},
	{"    blocks", func(p *levelProperties) string { return plain(p.DataBlocks) }},
	{"  index", func(p *levelProperties) string { return toolBytes(p.IndexSize) }},
	{"    blocks", func(p *levelProperties) string { return plain(p.IndexBlocks) }},
	{"    top-level", func(p *levelProperties) string { return toolBytes(p.TopIndexSize) }},
	{"  filter", func(p *levelProperties) string { return toolBytes(p.FilterSize) }},
	{"  raw-key", func(p *levelProperties) string { return toolBytes(p.RawKeySize) }},
	{"  raw-value", func(p *levelProperties) string { return toolBytes(p.RawValueSize) }},
	{"  pinned-key", func(p *levelProperties) string { return toolBytes(p.PinnedKeySize) }},
	{"  pinned-value", func(p *levelProperties) string { return toolBytes(p.PinnedValueSize) }},
	{"  point-del-key-size", func(p *levelProperties) string { return toolBytes(p.PointDelKeySize) }},
	{"  point-del-value-size", func(p *levelProperties) string { return toolBytes(p.PointDelValueSize) }},
	{"records", nil},
	{"  set", func(p *levelProperties) string { return toolCount(p.Sets) }},
	{"  delete", func(p *levelProperties) string { return toolCount(p.Deletes) }},
	{"  delete-sized", func(p *levelProperties) string { return toolCount(p.SizedDeletes) }},
	{"  range-delete", func(p *levelProperties) string { return toolCount(p.RangeDeletes) }},
	{"  range-key-sets", func(p *levelProperties) string { return toolCount(p.RangeKeySets) }},
	{"  range-key-unsets", func(p *levelProperties) string { return toolCount(p.RangeKeyUnsets) }},
	{"  range-key-deletes", func(p *levelProperties) string { return toolCount(p.RangeKeyDels) }},
	{"  merge", func(p *levelProperties) string { return toolCount(p.Merges) }},
	{"  pinned", func(p *levelProperties) string { return toolCount(p.PinnedKeys) }},
}

func totalProperties(levels [lsm.NumLevels]levelProperties) levelProperties {
	var t levelProperties
	for i := range levels {
		addProperties(&t, &levels[i])
	}
	return t
}

func addProperties(t, p *levelProperties) {
	if seq := p.SmallestSeq; seq != 0 && (t.SmallestSeq == 0 || seq < t.SmallestSeq) {
		t.SmallestSeq = seq
	}
	t.LargestSeq = max(t.LargestSeq, p.LargestSeq)
	t.Count += p.Count
	t.DataSize += p.DataSize
	t.DataBlocks += p.DataBlocks
	t.IndexSize += p.IndexSize
	t.IndexBlocks += p.IndexBlocks
	t.TopIndexSize += p.TopIndexSize
	t.FilterSize += p.FilterSize
	t.RawKeySize += p.RawKeySize
	t.RawValueSize += p.RawValueSize
	t.PinnedKeySize += p.PinnedKeySize
	t.PinnedValueSize += p.PinnedValueSize
	t.PointDelKeySize += p.PointDelKeySize
	t.PointDelValueSize += p.PointDelValueSize
	t.Sets += p.Sets
	t.Deletes += p.Deletes
	t.SizedDeletes += p.SizedDeletes
	t.RangeDeletes += p.RangeDeletes
	t.RangeKeySets += p.RangeKeySets
	t.RangeKeyUnsets += p.RangeKeyUnsets
	t.RangeKeyDels += p.RangeKeyDels
	t.Merges += p.Merges
	t.PinnedKeys += p.PinnedKeys
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
