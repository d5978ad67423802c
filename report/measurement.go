package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"getio/numbers/steady"
	"getio/numbers/units"
	"getio/record"
)

// Measurement writes one measurement, the number first. If a self-check failed, it writes
// the failed checks and no number.
func Measurement(w io.Writer, r *record.Result) error {
	p := newPrinter(w)
	if !r.Checks.Hold() {
		p.text("cannot be believed", r)
		p.blank()
		p.failed("", r.Checks)
		p.text("measure again", nil)
		return p.flush()
	}
	if r.Measured() {
		p.text("headline", r)
		p.prose(steadiness(r.IOsPerGet, r.Workload.Words().Many))
	} else {
		p.prose("- I/Os per Get: no Gets were measured.")
	}
	p.blank()
	if r.Counted == record.CountedOutside {
		tableReads(p, r)
	} else {
		componentTable(p, r)
	}
	p.blank()
	if layered(r) {
		layerTable(p, r)
		p.blank()
	}
	if r.Updates != nil {
		p.text("updates meanwhile", r.Updates)
		p.blank()
		windowTable(p, r.Updates.Windows)
		p.blank()
	}
	singles(p, r)
	p.text("cache", r)
	p.blank()
	p.field(upper(r.Workload.Words().Many), say("gets", r))
	p.text("how measured", r)
	p.each("Warning", r.Warnings)
	return p.flush()
}

// steadiness says whether more Gets would change the number.
func steadiness(io record.IOsPerGet, operations string) string {
	return say("steadiness", struct {
		*record.IOsPerGet
		Operations            string
		MaxRelative, MaxReads float64
	}{&io, operations, steady.MaxRelative, steady.MaxReads})
}

// belowPoint returns the part of the cache that blocks have, if it is in an earlier phase than the cache.
func belowPoint(r *record.Result) *int64 {
	if r.Shape == nil {
		return nil
	}
	forBlocks := r.Cache.Bytes - r.Cache.ReservedBytes
	if r.Shape.Phase(forBlocks) >= r.Cache.Phase {
		return nil
	}
	return &forBlocks
}

// microseconds writes a time as people type it.
func microseconds(us float64) string {
	return strings.Replace(time.Duration(math.Round(us*1e3)).String(), "µ", "u", 1)
}

func machine(e record.Environment) string {
	return units.Join(
		e.CPU,
		units.If(e.CPUs > 0, units.Plural(int64(e.CPUs), "processor")),
		units.If(e.MemoryMiB > 0, units.Size(e.MemoryMiB<<20)+" of memory"),
		units.If(e.OS != "", strings.TrimSpace(e.OS+" "+e.Kernel)),
		e.Go)
}

// plainGets reports whether all results are of Gets in databases without concurrent
// updates: other figures do not tell which cache to take.
func plainGets(results []*record.Result) bool {
	return !slices.ContainsFunc(results, func(r *record.Result) bool { return r.Workload.Operation.Kind != "" || r.Updates != nil })
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func componentTable(p *printer, r *record.Result) {
	one := r.Workload.Words().One
	gets := r.Workload.Gets
	known := colIf(func(c string) bool { _, known := r.Components[c]; return known }, units.Absent)
	figure := func(name string, of func(record.Component) string) column[string] {
		return known(name, func(c string) string { return of(r.Components[c]) })
	}
	misses := totalMisses(r)
	t := newTable(reported(r.Components),
		col("component", componentName),
		figure("accesses\nper "+one, func(v record.Component) string { return accesses(v, gets) }),
		figure("misses\nper "+one, func(v record.Component) string { return units.PerGet(v.Misses, gets) }),
		figure("hit\nrate", componentHitRate),
		figure("bytes read\nper "+one, func(v record.Component) string { return bytesRead(v.BytesRead, v.Misses, gets) }),
		figure("share\nof I/Os", func(v record.Component) string { return units.PercentOf(v.Misses, misses) }))
	p.table(t.withFooter(totalRow(r, misses)...))
	if r.Updates != nil {
		p.text("updates and accesses", nil)
	}
	if estimated(r) {
		p.prose("~ is estimated: the engine counts index and data accesses as one sum. Sum and misses are exact.")
	}
}

// accesses writes the accesses per Get. Reads without accesses are of blocks that the
// engine does not count by themselves.
func accesses(v record.Component, gets int64) string {
	if v.Accesses == nil || *v.Accesses == 0 && v.Misses > 0 {
		return units.Absent
	}
	return tilde(v) + units.PerGet(*v.Accesses, gets)
}

func totalMisses(r *record.Result) (sum int64) {
	for _, v := range r.Components {
		sum += v.Misses
	}
	return sum
}

// totalRow sums the components; its hit rate is that of the whole block cache as the engine counts it.
func totalRow(r *record.Result, misses int64) []string {
	accesses, perGet := units.Absent, units.Absent
	if len(r.Components) > 0 {
		accesses, perGet = totalAccesses(r), units.PerGet(misses, r.Workload.Gets)
	}
	return []string{"total", accesses, perGet, blockCacheHitRate(r), bytesPerGet(r), units.PercentOf(misses, misses)}
}

// totalAccesses are unknown if one component's are.
func totalAccesses(r *record.Result) string {
	var sum int64
	for _, v := range r.Components {
		if v.Accesses == nil {
			return units.Absent
		}
		sum += *v.Accesses
	}
	return units.PerGet(sum, r.Workload.Gets)
}

// tableReads writes what a Get in each table of an MDBX database read.
func tableReads(p *printer, r *record.Result) {
	p.table(newTable(r.Tables,
		col("table", func(t record.TableReads) string { return t.Name }),
		col("", func(t record.TableReads) string { return units.If(t.DupSort, "dupsort") }).left(),
		col("entries", func(t record.TableReads) string { return units.Comma(t.Entries) }).spareAs(2),
		col("Gets", func(t record.TableReads) string { return units.Comma(t.Gets) }).spareAs(1),
		col("reads\nper Get", func(t record.TableReads) string { return units.IOs(t.ReadsPerGet) }),
		col("bytes read\nper Get", func(t record.TableReads) string { return units.MeanSize(t.BytesPerGet) })))
	p.text("reads of tables", nil)
}

// othersRead lists the components that others than Gets read; "" if none.
func othersRead(o record.OtherReads) string {
	return joined(record.ComponentNames, ", ", func(c string) string {
		reads := o.Components[c].Reads
		return units.If(reads > 0, componentName(c)+" "+units.Comma(reads))
	})
}

// windowTable has for each window the tree at its end and what happened in it.
func windowTable(p *printer, windows []record.UpdateWindow) {
	type row struct {
		number int
		record.UpdateWindow
	}
	var rows []row
	for i, w := range windows {
		rows = append(rows, row{i + 1, w})
	}
	count := func(name string, of func(row) int64) column[row] {
		return col(name, func(w row) string { return units.Comma(of(w)) })
	}
	p.table(newTable(rows,
		col("window", func(w row) string { return fmt.Sprint(w.number) }),
		col("I/Os\nper Get", func(w row) string { return units.IOs(w.IOsPerGet) }),
		count("keys\nwritten", func(w row) int64 { return w.Writes }),
		count("L0\ntables", func(w row) int64 { return w.L0Tables }),
		count("L0\nsublevels", func(w row) int64 { return w.L0Sublevels }).spareAs(3),
		count("under\nway", func(w row) int64 { return w.Running }).spareAs(2),
		count("flushes", func(w row) int64 { return w.Flushes }),
		count("compac-\ntions", func(w row) int64 { return w.Compactions }),
		count("stalls", func(w row) int64 { return w.Stalls }),
		count("others'\nreads", func(w row) int64 { return w.OthersReads }),
		col("others'\nbytes", func(w row) string { return units.Size(w.OthersBytes) }).spareAs(1)))
}

// layered reports whether anything is known of the device below the files. Counted outside, it is all that is known.
func layered(r *record.Result) bool {
	return r.Counted != record.CountedOutside && (r.PageBytesPerGet != nil || r.Device.ReadsPerGet != nil || r.Device.BytesPerGet != nil)
}

// layer is one of those that a read passes, from the block cache down.
type layer struct {
	name         string
	column, over string                      // above the reads, if they have a column of their own, and above the bytes
	reads, bytes func(*record.Result) string // per Get
}

var layers = []layer{
	{"block cache (misses)", "block cache\nmisses", "",
		func(r *record.Result) string { return figure(blockCache(r).MissesPerGet, units.IOs) },
		func(r *record.Result) string { return figure(blockCache(r).BytesPerGet, units.MeanSize) }},
	{"files", "file\nreads", "", fileReads, func(r *record.Result) string { return units.MeanSize(r.File.BytesPerGet) }},
	{"device without page cache", "", "in pages", fileReads, pageBytes},
	{"device", "device\nreads", "",
		func(r *record.Result) string { return figure(r.Device.ReadsPerGet, units.IOs) },
		func(r *record.Result) string { return figure(r.Device.BytesPerGet, units.MeanSize) }},
}

func fileReads(r *record.Result) string { return units.IOs(r.File.ReadsPerGet) }

// pageBytes writes what devices read per Get without a page cache.
func pageBytes(r *record.Result) string { return figure(r.PageBytesPerGet, units.MeanSize) }

func blockCache(r *record.Result) record.BlockCache {
	if r.Cached == nil {
		return record.BlockCache{}
	}
	return *r.Cached
}

func layerTable(p *printer, r *record.Result) {
	one := r.Workload.Words().One
	known := slices.DeleteFunc(slices.Clone(layers), func(l layer) bool {
		return l.bytes(r) == units.Absent && (l.column == "" || l.reads(r) == units.Absent)
	})
	p.table(newTable(known,
		col("layer", func(l layer) string { return l.name }),
		col("reads\nper "+one, func(l layer) string { return l.reads(r) }),
		col("bytes read\nper "+one, func(l layer) string { return l.bytes(r) })))
}

func singles(p *printer, r *record.Result) {
	if d := r.Distribution; d != nil {
		distribution(p, r.Workload, d)
		p.blank()
	}
	if r.Latency != nil {
		p.text("latencies", r)
		p.blank()
	}
}

// mostBars is the largest number of bars up to the 99.9th percentile, and barWidth the width of the bar of all Gets.
const (
	mostBars = 16
	barWidth = 50
)

// distribution draws the distribution of reads per Get: bars of even ranges of reads up
// to the 99.9th percentile, and one for the rest.
func distribution(p *printer, w record.Made, d *record.Distribution) {
	p.field("Reads/"+w.Words().One, fmt.Sprintf("p50 %d, p90 %d, p99 %d, p99.9 %d, most %d", d.P50, d.P90, d.P99, d.P999, d.Max))
	first := slices.IndexFunc(d.Histogram, func(gets int64) bool { return gets > 0 })
	if first < 0 {
		return
	}
	step := (d.P999-first)/mostBars + 1
	for ; first <= d.P999; first += step {
		distributionBar(p, d, first, min(first+step-1, d.P999))
	}
	if d.Max > d.P999 {
		distributionBar(p, d, d.P999+1, d.Max)
	}
}

func distributionBar(p *printer, d *record.Distribution, first, last int) {
	label := fmt.Sprint(first)
	if last > first {
		label = fmt.Sprintf("%d-%d", first, last)
	}
	share := d.AtLeast(first) - d.AtLeast(last+1)
	p.line(fmt.Sprintf("  %8s  %8s  %s", label, units.Percent(share), strings.Repeat("#", int(share*barWidth+0.5))))
}

// ExternalCount writes what a command read from a private disk.
func ExternalCount(w io.Writer, r *record.ExternalCount) error { return writeText(w, "count", r) }
