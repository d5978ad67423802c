package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// Watch writes what a process has read while it was watched.
func Watch(w io.Writer, r *record.Watch) error {
	p := newPrinter(w)
	p.text("watch", r)
	if !r.Checks.Hold() {
		p.failed("", r.Checks)
		return p.flush()
	}
	for _, d := range r.Databases {
		p.blank()
		watchedDatabase(p, r, d)
	}
	if len(r.Databases) == 0 {
		p.prose("The process has no Pebble or goleveldb database open.")
	}
	if len(r.Files) > 0 {
		p.blank()
		readsTable(p, "other files", r.Files, func(f *record.WatchedFiles) (string, *record.WatchedReads) { return fileNames[f.Kind], &f.WatchedReads })
	}
	p.blank()
	p.text("losses", r)
	if r.Trace != nil {
		p.text("watched trace", r.Trace)
	}
	return p.flush()
}

// WatchLine is a line about what was counted so far: a sum over the databases.
func WatchLine(r *record.Watch) string {
	var gets, reads, others int64
	for _, d := range r.Databases {
		gets += d.Gets
		reads += d.Reads.Count
		for _, c := range d.Causes {
			if c.Cause != record.CauseGet {
				others += c.Count
			}
		}
	}
	return fmt.Sprintf("%s: %s, %s I/Os per Get, %s not of Gets%s", time.Duration(r.Seconds*float64(time.Second)).Round(time.Second),
		units.Plural(gets, "Get"), units.PerGet(reads, gets), units.Plural(others, "read"), say("incomplete", r))
}

func watchedDatabase(p *printer, r *record.Watch, d *record.WatchedDatabase) {
	p.text("watched database", d)
	if !d.Checks.Hold() {
		p.failed("", d.Checks)
		return
	}
	if d.IOsPerGet != nil {
		p.field("I/Os per Get", say("watched I/Os", d.IOsPerGet)+say("incomplete", r))
		distribution(p, record.Made{}, d.Distribution)
		p.blank()
		watchedComponents(p, d)
		p.blank()
	}
	causeTable(p, d)
	if d.IOsPerGet != nil && len(d.Categories) > 0 {
		p.blank()
		watchedCategories(p, d)
	}
	if d.IOsPerGet != nil && len(d.Callers) > 0 {
		p.blank()
		watchedCallers(p, "Gets", d.Callers, d.Reads.Count)
	}
	watchedOthers(p, d)
}

// watchedOthers writes the reads that no Get made by component, and of iterators also by caller.
func watchedOthers(p *printer, d *record.WatchedDatabase) {
	type row = *record.WatchedCause
	of := func(head, component string) column[row] {
		return col(head, func(c row) string { return units.Comma(c.Components[component].Reads) })
	}
	if broken := slices.DeleteFunc(slices.Clone(d.Causes), func(c row) bool { return c.Components == nil }); len(broken) > 0 {
		p.blank()
		p.table(newTable(broken,
			col("reads by", func(c row) string { return causeNames[c.Cause] }),
			of("top\nindex", record.TopIndex), of("index", record.Index), of("filter", record.Filter), of("data", record.Data),
			of("table\nopen", record.TableOpen), of("other", record.Other),
			col("unknown", func(c row) string { return units.Comma(c.UnmappedReads) })))
	}
	if i := d.Iterators; i != nil && i.Opened > 0 {
		p.text("iterators", i)
	}
	for _, c := range d.Causes {
		if len(c.Callers) > 0 {
			p.blank()
			watchedCallers(p, causeNames[c.Cause], c.Callers, c.Count)
		}
	}
}

// perSecond writes a rate, to three digits if it is small.
func perSecond(rate float64) string {
	if rate < 100 {
		return units.ThreeDigits(rate)
	}
	return units.Comma(int64(math.Round(rate)))
}

// watchedPart is a component, or all of them: its reads, and the lookups in the block cache.
type watchedPart struct {
	name         string
	reads, bytes int64
	looked       record.CacheAccesses
}

func watchedComponents(p *printer, d *record.WatchedDatabase) {
	var parts []watchedPart
	total := watchedPart{name: "total", reads: d.Reads.Count, bytes: d.Reads.Bytes}
	for _, c := range reported(d.Components) {
		part := watchedPart{name: componentName(c), reads: d.Components[c].Reads, bytes: d.Components[c].Bytes}
		if d.BlockCache != nil {
			part.looked = d.BlockCache.Components[c]
		}
		parts = append(parts, part)
	}
	if d.BlockCache != nil {
		total.looked = d.BlockCache.CacheAccesses
	}
	p.table(withTotal(parts, total,
		col("component", func(c watchedPart) string { return c.name }),
		col("reads", func(c watchedPart) string { return units.Comma(c.reads) }),
		col("reads\nper Get", func(c watchedPart) string { return units.PerGet(c.reads, d.Gets) }),
		col("bytes\nper Get", func(c watchedPart) string { return bytesRead(c.bytes, c.reads, d.Gets) }),
		col("share\nof I/Os", func(c watchedPart) string { return units.PercentOf(c.reads, d.Reads.Count) }),
		col("block lookups\nper Get", func(c watchedPart) string { return units.PerGet(c.looked.Accesses, d.Gets) }).when(d.BlockCache != nil),
		col("block cache\nhit rate", func(c watchedPart) string { return units.Thousandths(c.looked.HitRate) }).when(d.BlockCache != nil)))
}

func causeTable(p *printer, d *record.WatchedDatabase) {
	if len(d.Causes) == 0 {
		if d.Gets > 0 {
			p.prose("No table was read: memtables and the block cache served all Gets.")
		}
		return
	}
	readsTable(p, "cause of reads", d.Causes, func(c *record.WatchedCause) (string, *record.WatchedReads) {
		return causeNames[c.Cause], &c.WatchedReads
	})
}

// readsTable writes several reads with their names, and how many were fetched ahead if any were.
func readsTable[R any](p *printer, title string, all []R, each func(R) (name string, r *record.WatchedReads)) {
	count := func(name string, of func(*record.WatchedReads) string) column[R] {
		return col(name, func(one R) string { _, r := each(one); return of(r) })
	}
	ahead := slices.ContainsFunc(all, func(one R) bool { _, r := each(one); return r.FetchedAhead > 0 })
	p.table(newTable(all,
		col(title, func(one R) string { name, _ := each(one); return name }),
		count("reads", func(r *record.WatchedReads) string { return units.Comma(r.Count) }),
		count("bytes", func(r *record.WatchedReads) string { return units.Size(r.Bytes) }),
		count("in\npages", pagesOf).ifKnown(),
		count("from\ndevices", func(r *record.WatchedReads) string { return units.Size(r.DeviceBytes) }),
		count("page\ncache", fromPageCache),
		count("p50", func(r *record.WatchedReads) string {
			return figure(r.Latency, func(t record.Times) string { return timeText(t.P50) })
		}),
		count("p99", p99OfReads),
		count("fetched\nahead", func(r *record.WatchedReads) string { return units.PercentOf(r.FetchedAhead, r.Count) }).when(ahead)))
}

// pagesOf writes the bytes of the pages that reads touch. Of calls that do not say where they read, these are not known.
func pagesOf(r *record.WatchedReads) string {
	if r.PageBytes == 0 {
		return units.Absent
	}
	return units.Size(r.PageBytes)
}

var fileNames = map[record.FileKind]string{record.FileFreezer: "freezer", record.FileLog: "write-ahead logs", record.FileOther: "other"}

var causeNames = map[record.ReadCause]string{
	record.CauseGet: "Gets", record.CauseIterator: "iterators", record.CauseCompaction: "compactions", record.CauseFlush: "flushes",
	record.CauseStatistics: "table statistics", record.CauseIngestion: "ingestion", record.CauseOpen: "opening", record.CauseOther: "other",
}

func fromPageCache(r *record.WatchedReads) string {
	return units.PercentOf(r.FromPageCache-r.FetchedAhead, r.Count)
}

func p99OfReads(r *record.WatchedReads) string {
	return figure(r.Latency, func(t record.Times) string { return timeText(t.P99) })
}

func watchedCategories(p *printer, d *record.WatchedDatabase) {
	type row = *record.WatchedCategory
	p.table(newTable(d.Categories,
		col("category of keys", func(c row) string { return c.Category }),
		col("Gets", func(c row) string { return units.Comma(c.Gets) }),
		col("share\nof Gets", func(c row) string { return units.PercentOf(c.Gets, d.Gets) }).spareAs(2),
		col("I/Os\nper Get", func(c row) string { return units.PerGet(c.Reads.Count, c.Gets) }),
		col("share\nof I/Os", func(c row) string { return units.PercentOf(c.Reads.Count, d.Reads.Count) }),
		col("bytes\nper Get", func(c row) string { return bytesRead(c.Reads.Bytes, c.Reads.Count, c.Gets) }).spareAs(1),
		col("page\ncache", func(c row) string { return fromPageCache(&c.Reads) }),
		col("p99", func(c row) string { return p99OfReads(&c.Reads) }).spareAs(3),
		col("block cache\nhit rate", func(c row) string {
			if c.BlockCache == nil {
				return ""
			}
			return units.Thousandths(c.BlockCache.HitRate)
		}).when(d.BlockCache != nil)))
}

const mostCallers = 20

func watchedCallers(p *printer, of string, callers []*record.WatchedCaller, reads int64) {
	type row = *record.WatchedCaller
	p.table(newTable(callers[:min(mostCallers, len(callers))],
		col("caller of "+of, func(c row) string { return shortened(c.Method, 30) }),
		col("accessor", func(c row) string { return shortened(cmp.Or(c.Accessor, units.Absent), 22) }).left(),
		col("reads", func(c row) string { return units.Comma(c.Count) }),
		col("share\nof I/Os", func(c row) string { return units.PercentOf(c.Count, reads) }),
		col("page\ncache", func(c row) string { return fromPageCache(&c.WatchedReads) }).spareAs(1),
		col("p99", func(c row) string { return p99OfReads(&c.WatchedReads) }).spareAs(2)))
	if more := len(callers) - mostCallers; more > 0 {
		p.prose(units.Plural(int64(more), "caller") + " with fewer reads are in the record.")
	}
}

// lost lists what could not be counted; "" if all was.
func lost(l *record.WatchLosses) string {
	type loss struct {
		n    int64
		what string
	}
	return joined([]loss{
		{l.LostReads, "reads that the kernel had no room to report"},
		{l.UntrackedGets, "Gets that the kernel had no room to note"},
		{l.UnownedReads, "reads whose database is unknown"},
		{l.UnbegunReads, "reads by Gets that were not seen to begin"},
		{l.UnmappedReads, "reads of tables that were gone before their blocks were known"},
		{l.MisplacedReads, "reads that fit no block of their table"},
		{l.LostAccesses, "lookups in the block cache"},
	}, "; ", func(l loss) string { return units.If(l.n > 0, units.Comma(l.n)+" "+l.what) })
}
