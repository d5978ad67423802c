package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// Inspect writes a database: where it comes from, its tree level by level, and what a Get costs in it.
func Inspect(w io.Writer, in *record.Inspection) error {
	p := newPrinter(w)
	inspectHeader(p, in)
	p.blank()
	inspectFamilies(p, in)
	if in.Shape == nil || len(in.Shape.Levels) == 0 {
		p.prose("The tree is empty: it has no tables, so a Get costs no I/O.")
	} else {
		inspectLevels(p, in.Shape)
		p.blank()
		inspectComponents(p, in)
		p.blank()
		inspectReads(p, in.Shape)
	}
	inspectOptions(p, in)
	return p.flush()
}

func inspectHeader(p *printer, in *record.Inspection) {
	p.field("Directory", orAbsent(in.Files))
	of := fmt.Sprintf("%s, library version %s", orAbsent(in.Engine.Name), orAbsent(in.Engine.Version))
	if in.Format > 0 {
		of += ", database format " + units.Comma(int64(in.Format))
	}
	p.field("Engine", of)
	if in.Engine.ReadAs != "" {
		p.field("Read as", in.Engine.ReadAs)
	}
	order := orAbsent(in.Comparer)
	if in.Merger != "" {
		order += ", merger " + in.Merger
	}
	p.field("Comparer", order)
	p.field("Tables", tableFormats(in.TableFormats))
	inspectDataset(p, in)
	p.field("Unflushed", unflushed(in.WAL))
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
	p.prose("The rest is of the column family that --option column_family=NAME names, or of the default one.")
	if slices.ContainsFunc(all, func(f record.Family) bool { return f.BlobFiles > 0 }) {
		p.prose("Blob files hold values outside the tables. A Get that finds its value there makes one more read, counted as blob.")
	}
	p.blank()
}

// tableFormats lists the formats, that of most tables first.
func tableFormats(formats map[string]int) string {
	names := sortedKeys(formats)
	slices.SortStableFunc(names, func(a, b string) int { return formats[b] - formats[a] })
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s of %s", units.Comma(int64(formats[name])), name))
	}
	return orAbsent(strings.Join(parts, ", "))
}

func unflushed(wal record.WAL) string {
	prepared := ""
	if wal.Prepared > 0 {
		prepared = fmt.Sprintf("%s of transactions that are prepared and not committed", units.Plural(wal.Prepared, "record"))
	}
	switch {
	case len(wal.Missing) > 0:
		return "unknown: the write-ahead log in " + strings.Join(wal.Missing, " and ") + " is not here"
	case wal.Keys > 0:
		text := fmt.Sprintf("%s only in the write-ahead log (%s), besides the records in tables: a read-only open replays them into memory, where they cost no I/O",
			units.Plural(wal.Keys, "record"), units.SizeOf(wal.Bytes))
		if prepared != "" {
			text += "; the log also holds " + prepared + ", which Gets do not find"
		}
		return text
	case prepared != "":
		return fmt.Sprintf("nothing that Gets find; the write-ahead log (%s) holds %s", units.Size(wal.Bytes), prepared)
	case wal.Bytes > 0:
		return fmt.Sprintf("nothing; the tables hold all keys of the write-ahead log (%s)", units.Size(wal.Bytes))
	default:
		return "nothing; the write-ahead log is empty"
	}
}

func inspectDataset(p *printer, in *record.Inspection) {
	switch m, made := in.Dataset, in.Made; {
	case m == nil && made != nil:
		p.field("Dataset", fmt.Sprintf("a chain that 'getio chain build' made, of %s accounts and %s, seed %d; its keys are sampled from its tables",
			units.CommaOf(int64(made.Plan.Accounts+made.Plan.Allocated)), units.Plural(int64(made.Plan.Blocks), "block"), made.Plan.Seed))
		return
	case m == nil:
		p.field("Dataset", "not written by getio; its keys are sampled from its tables")
		return
	}
	m := in.Dataset
	p.field("Dataset", fmt.Sprintf("%s keys (%s), values %s of %s bytes, seed %d, written in %s order by %s, version %s, preset %s",
		units.CommaOf(int64(m.Keys)), orAbsent(m.Keyspace), orAbsent(m.Values), units.CommaOf(int64(m.ValueSize)), m.Seed,
		orAbsent(m.Order), orAbsent(m.Engine), orAbsent(m.EngineVersion), orAbsent(m.Preset)))
	p.field("Load", loadState(in))
	if n := len(m.Updates); n > 0 {
		var writes uint64
		for _, u := range m.Updates {
			writes += u.Writes
		}
		p.field("Updates", fmt.Sprintf("%s of keys drawn at random, in %s", units.Plural(int64(writes), "overwrite"), units.Plural(int64(n), "round")))
	}
}

func loadState(in *record.Inspection) string {
	m := in.Dataset
	if m.Complete {
		return "complete"
	}
	written := "its progress is not recorded"
	if m.Progress != nil {
		written = fmt.Sprintf("%s of %s keys (%s) are safely written",
			units.Comma(int64(m.Progress.Durable)), units.CommaOf(int64(m.Keys)), units.PercentOf(int64(m.Progress.Durable), int64(m.Keys)))
	}
	return "NOT COMPLETE: " + written + "; 'getio load' resumes it"
}

func inspectLevels(p *printer, shape *record.Shape) {
	p.table(Levels(shape))
	p.prose("Index bytes and blocks are of the second level, without the top indexes.")
	for _, l := range shape.Levels {
		if l.Level == 0 {
			p.line(fmt.Sprintf("L0 has %s: a Get may visit a table of each.", units.Plural(int64(l.Sublevels), "sublevel")))
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
		col("sublevels", func(l record.Level) string { return units.CountOf(int64(l.Sublevels)) }).shown(inDocuments),
		col("tables", func(l record.Level) string { return units.Blocks(l.Tables) }),
		col("records", func(l record.Level) string { return units.CountOf(l.Records) }),
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
	t.footer = []string{"table files", units.SizeOf(whole), units.PercentOf(whole, whole), ""}
	p.table(t)
}

func inspectReads(p *printer, shape *record.Shape) {
	whole, of := shape.Total().Bytes, "the database"
	if shape.BlobFiles > 0 {
		of = "the tables"
	}
	point := func(bytes int64, what string) string {
		return fmt.Sprintf("%s, %s of %s: %s", units.Size(bytes), units.PercentOf(bytes, whole), of, what)
	}
	p.field("IP1", point(shape.IP1Bytes, "all filters that Get consults and all top indexes"))
	p.field("IP2", point(shape.IP2Bytes, "these and all index blocks of the second level"))
	p.field("", pointMeaning(shape))
	p.field("Worst case", worstCase(shape))
	p.field("Base level", baseLevel(shape))
	if shape.BlobFiles > 0 {
		p.field("Blob files", fmt.Sprintf("%s, %s in addition to the tables. A Get that finds its value there makes one more read; getio uses no blob cache",
			units.Comma(shape.BlobFiles), units.Size(shape.BlobBytes)))
	}
}

// pointMeaning says what the two points mean for the size of a cache.
func pointMeaning(shape *record.Shape) string {
	if shape.IP1Bytes == shape.IP2Bytes {
		return "Indexes have one level. With a smaller cache, Gets read filters and indexes again; with a larger one, only data blocks."
	}
	return "With less cache than IP1, Gets read filters and top indexes again; with less than IP2, index blocks; with more, only data blocks."
}

// worstCase explains lsm.Shape.WorstCaseReads.
func worstCase(shape *record.Shape) string {
	if shape.FiltersFirst {
		s := fmt.Sprintf("%d reads per Get, nothing cached: the filter of each sorted run, or index and data where it has none; index and data of the last, each divided index and filter being two blocks", shape.WorstCaseReads)
		if shape.BlobFiles > 0 {
			s += "; and one for a value in a blob file"
		}
		return s
	}
	if shape.LastLevelFilters {
		return fmt.Sprintf("%d reads per Get, nothing cached: for each sorted run top index and filter, or data where it has none; data in the last", shape.WorstCaseReads)
	}
	if shape.LastRunFiltered() {
		last := "index and data"
		if shape.Levels[len(shape.Levels)-1].OneLevelIndexes() {
			last = "data"
		}
		return fmt.Sprintf("%d reads per Get, nothing cached: top index and filter of each sorted run (%s if it has no filter), then %s of the last", shape.WorstCaseReads, probe(shape), last)
	}
	unfiltered := shape.UnfilteredRuns()
	s := fmt.Sprintf("%d reads per Get, nothing cached: ", shape.WorstCaseReads)
	if above := shape.Runs() - 1 - unfiltered; above > 0 {
		s += fmt.Sprintf("%d x (top index, filter), then ", above)
	}
	if unfiltered > 0 {
		return s + fmt.Sprintf("%d x (%s), as %d of these runs have no filter", 1+unfiltered, probe(shape), unfiltered)
	}
	return s + probe(shape)
}

// probe lists the blocks that a search of a table reads, without its filter.
func probe(shape *record.Shape) string {
	small := 0
	for i := range shape.Levels {
		if shape.Levels[i].OneLevelIndexes() {
			small++
		}
	}
	switch small {
	case 0:
		return "top index, index and data"
	case len(shape.Levels):
		return "index and data"
	}
	return "top index, data and, where indexes have two levels, index"
}

func baseLevel(shape *record.Shape) string {
	if shape.BaseLevel == 0 {
		return "none: there are no tables below L0"
	}
	return fmt.Sprintf("L%d, into which L0 is compacted", shape.BaseLevel)
}
