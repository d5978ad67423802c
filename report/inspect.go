package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// Inspect writes a database: where it comes from, its tree level by level, and what a Get costs in it.
func Inspect(w io.Writer, in *record.Inspection) error {
	p := newPrinter(w)
	p.text("inspect", in)
	p.blank()
	inspectFamilies(p, in)
	if in.Shape == nil || len(in.Shape.Levels) == 0 {
		p.prose("The tree is empty: it has no tables, so a Get costs no I/O.")
	} else {
		inspectLevels(p, in.Shape)
		p.blank()
		inspectComponents(p, in)
		p.blank()
		p.text("tree", newTreeText(in.Shape))
	}
	inspectOptions(p, in)
	return p.flush()
}

func overwritten(in *record.Inspection) (writes uint64) {
	for _, u := range in.Dataset.Updates {
		writes += u.Writes
	}
	return writes
}

// inspectFamilies writes the column families, the largest first; nothing if there is only one.
func inspectFamilies(p *printer, in *record.Inspection) {
	if len(in.Families) == 0 {
		return
	}
	all := slices.Clone(in.Families)
	slices.SortStableFunc(all, func(a, b record.Family) int { return cmp.Compare(b.Bytes+b.BlobBytes, a.Bytes+a.BlobBytes) })
	p.table(newTable(all,
		col("column family", func(f record.Family) string { return f.Name }),
		col("tables", func(f record.Family) string { return units.Comma(f.Tables) }),
		col("bytes", func(f record.Family) string { return units.Size(f.Bytes) }),
		col("blob\nfiles", func(f record.Family) string { return units.Comma(f.BlobFiles) }),
		col("bytes in\nblob files", func(f record.Family) string { return units.Size(f.BlobBytes) })))
	p.text("column families", slices.ContainsFunc(all, func(f record.Family) bool { return f.BlobFiles > 0 }))
	p.blank()
}

// tableFormats lists the formats, that of most tables first.
func tableFormats(formats map[string]int) string {
	names := sortedKeys(formats)
	slices.SortStableFunc(names, func(a, b string) int { return formats[b] - formats[a] })
	return joined(names, ", ", func(name string) string { return units.Comma(int64(formats[name])) + " of " + name })
}

func inspectLevels(p *printer, shape *record.Shape) {
	p.table(Levels(shape))
	p.prose("Index bytes and blocks are of the second level, without the top indexes.")
	for _, l := range shape.Levels {
		if l.Level == 0 {
			p.text("sublevels", l)
		}
	}
}

// Levels is the tree, level by level.
func Levels(shape *record.Shape) *Table {
	return withTotal(shape.Levels, shape.Total(),
		col("level", func(l record.Level) string {
			if l.Level < 0 {
				return "total"
			}
			return fmt.Sprintf("L%d", l.Level)
		}),
		col("sublevels", func(l record.Level) string { return unlessZero(units.Count)(int64(l.Sublevels)) }).shown(inDocuments),
		col("tables", func(l record.Level) string { return units.Blocks(l.Tables) }),
		col("records", func(l record.Level) string { return unlessZero(units.Count)(l.Records) }),
		col("file\nbytes", func(l record.Level) string { return units.Size(l.Bytes) }).shown(inDocuments),
		col("data\nbytes", func(l record.Level) string { return units.Size(l.DataBytes) }),
		col("data\nblocks", func(l record.Level) string { return units.Blocks(l.DataBlocks) }).spareAs(2),
		col("index\nbytes", func(l record.Level) string { return units.Size(l.IndexBytes) }),
		col("index\nblocks", func(l record.Level) string { return units.Blocks(l.IndexBlocks) }).spareAs(1),
		col("top index\nbytes", func(l record.Level) string { return units.Size(l.TopIndexBytes) }),
		col("filter\nbytes", func(l record.Level) string { return units.Size(l.FilterBytes) }))
}

func inspectComponents(p *printer, in *record.Inspection) {
	whole := in.Shape.Total().Bytes
	type part struct{ words, name, read string }
	parts := []part{
		{"filters", record.Filter, "yes"}, {"top indexes", record.TopIndex, "yes, at every visit of a table"},
		{"index blocks", record.Index, "yes"}, {"data blocks", record.Data, "yes"},
	}
	if !in.Shape.LastLevelFilters {
		parts[0].words = "filters above L6"
		parts = append(parts, part{"filters of L6", record.FilterUnread, "never consulted"})
	}
	bytes := func(c part) int64 { return in.Components[c.name].Bytes }
	t := newTable(parts,
		col("component", func(c part) string { return c.words }),
		col("bytes", func(c part) string { return units.Size(bytes(c)) }),
		col("% of database", func(c part) string { return units.PercentOf(bytes(c), whole) }),
		col("read by Get", func(c part) string {
			if bytes(c) == 0 {
				return "there are none"
			}
			return c.read
		}).left())
	p.table(t.withFooter("table files", unlessZero(units.Size)(whole), units.PercentOf(whole, whole), ""))
}

// treeText is the data of the text about a tree: which blocks a search of a table reads without its filter (Probe), in
// how many sorted runs Gets do that, and how many runs before the last have filters.
type treeText struct {
	*record.Shape
	Probe            string
	Probes, Filtered int
	LastOneLevel     bool
}

func newTreeText(shape *record.Shape) treeText {
	oneLevel := func(l record.Level) bool { return l.OneLevelIndexes() }
	probe := "index and data"
	if !slices.ContainsFunc(shape.Levels, oneLevel) {
		probe = "top index, index and data"
	} else if slices.ContainsFunc(shape.Levels, func(l record.Level) bool { return !oneLevel(l) }) {
		probe = "top index, data and, where indexes have two levels, index"
	}
	unfiltered := shape.UnfilteredRuns()
	return treeText{shape, probe, 1 + unfiltered, shape.Runs() - 1 - unfiltered, oneLevel(shape.Levels[len(shape.Levels)-1])}
}

// inspectOptions writes the options that the database was written with, and those of reading it that differ. The
// manifest has every option and the number of filter bits, and comes before the database's own options file.
func inspectOptions(p *printer, in *record.Inspection) {
	written, ours := in.Written, in.Dataset != nil && len(in.Dataset.Options) > 0
	if ours {
		written = in.Dataset.Options
	}
	if len(written) == 0 && in.Read == nil {
		return
	}
	p.blank()
	read := ""
	if in.Read != nil {
		read = readOptions(written, in.Read, ours)
	}
	p.text("written with", map[string]any{"Written": compact(written), "Ours": ours, "Read": read})
	if strings.Contains(compact(written)+compact(in.Read), "/") {
		p.text("per level", nil)
	}
}

// readOptions lists only the differences where both lists have the same names.
func readOptions(written, read map[string]string, alike bool) string {
	if !alike {
		return compact(read)
	}
	differing := maps.Clone(read)
	maps.DeleteFunc(differing, func(name, value string) bool { return written[name] == value })
	if len(differing) == 0 {
		return "the same options"
	}
	return "the same options, except " + compact(differing)
}

// compact writes options in the order of their names. Those that are set per level
// (NAME.L0 to NAME.L6) are one, with a slash between levels.
func compact(options map[string]string) string {
	return joined(sortedKeys(options), " ", func(name string) string {
		base, level, perLevel := strings.Cut(name, ".L")
		values, all := levelValues(base, options)
		switch {
		case !perLevel || !all:
			return name + "=" + options[name]
		case level == "0":
			return base + "=" + values
		}
		return "" // is part of the option's L0
	})
}

// levelValues joins an option's values on all levels, if it has all of them.
func levelValues(base string, options map[string]string) (joined string, all bool) {
	const levels = 7
	values := make([]string, levels)
	for level := range values {
		value, ok := options[fmt.Sprintf("%s.L%d", base, level)]
		if !ok {
			return "", false
		}
		values[level] = value
	}
	return strings.Join(values, "/"), true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// MDBX writes what an MDBX database says of its tables, the largest first.
func MDBX(w io.Writer, r *record.MDBX) error {
	p := newPrinter(w)
	p.text("mdbx", r)
	if len(r.Tables) == 0 {
		return p.flush()
	}
	tables := slices.Clone(r.Tables)
	slices.SortStableFunc(tables, func(a, b record.MDBXTable) int { return int(b.Pages() - a.Pages()) })
	p.table(newTable(tables,
		col("table", func(t record.MDBXTable) string { return t.Name }),
		col("", func(t record.MDBXTable) string { return units.If(t.DupSort, "dupsort") }).left(),
		col("entries", func(t record.MDBXTable) string { return units.Comma(int64(t.Entries)) }),
		col("depth", func(t record.MDBXTable) string { return fmt.Sprint(t.Depth) }),
		col("branch\npages", func(t record.MDBXTable) string { return units.Comma(t.BranchPages) }).spareAs(1),
		col("leaf\npages", func(t record.MDBXTable) string { return units.Comma(t.LeafPages) }).spareAs(4),
		col("large\npages", func(t record.MDBXTable) string { return units.Comma(t.LargePages) }).spareAs(2),
		col("size", func(t record.MDBXTable) string { return units.Size(t.Pages() * r.PageBytes) }),
		col("bytes\n/entry", func(t record.MDBXTable) string {
			return ratio(float64(t.Pages()*r.PageBytes), float64(t.Entries), whole)
		}).spareAs(3)))
	p.text("mdbx lookups", nil)
	return p.flush()
}

// Diagnosis writes what a directory holds, and which commands would work on it.
func Diagnosis(w io.Writer, d *record.Diagnosis) error {
	p := newPrinter(w)
	p.text("diagnosis", d)
	p.blank()
	works := joined(d.Commands, ", ", func(c record.Feasible) string { return units.If(c.Works, c.Command) })
	p.field("Would work", cmp.Or(works, units.Absent))
	for _, c := range d.Commands {
		if !c.Works {
			p.field("Would not", c.Command+": "+c.Why)
		}
	}
	return p.flush()
}
