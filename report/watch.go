package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// Watch writes what a process has read while it was watched.
func Watch(w io.Writer, r *record.Watch) error {
	var p printer
	p.field("Process", watchedProcess(&r.Process))
	p.field("Watched", watchedFor(r))
	if !r.Checks.Hold() {
		p.failed("", r.Checks)
		return p.writeTo(w)
	}
	for _, d := range r.Databases {
		p.blank()
		watchedDatabase(&p, r, d)
	}
	if len(r.Databases) == 0 {
		p.prose("The process has no Pebble or goleveldb database open.")
	}
	if len(r.Files) > 0 {
		p.blank()
		readsTable(&p, "other files", r.Files, func(f *record.WatchedFiles) (string, *record.WatchedReads) { return fileNames[f.Kind], &f.WatchedReads })
	}
	p.blank()
	watchLosses(&p, r)
	watchedDevice(&p, r.Device)
	if r.Trace != nil {
		p.blank()
		watchedTrace(&p, r.Trace)
	}
	return p.writeTo(w)
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
	return fmt.Sprintf("%s: %s, %s I/Os per Get, %s not of Gets%s", roundedSeconds(r.Seconds),
		units.Plural(gets, "Get"), units.PerGet(reads, gets), units.Plural(others, "read"), incomplete(r))
}

func roundedSeconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// incomplete marks figures of which too much was lost.
func incomplete(r *record.Watch) string {
	if r.Complete {
		return ""
	}
	return " (INCOMPLETE)"
}

func watchedProcess(p *record.WatchedProcess) string {
	text := fmt.Sprintf("%d (%s)", p.PID, p.Name)
	if p.Module != "" {
		text += ", " + strings.TrimSpace(p.Module+" "+p.Version)
	}
	if p.Go != "" {
		text += ", built with " + p.Go
	}
	return text
}

func watchedFor(r *record.Watch) string {
	text := fmt.Sprintf("%s, until %s", roundedSeconds(r.Seconds), r.Time.Format(time.DateTime)+" UTC")
	if r.Duty > 0 {
		text = fmt.Sprintf("%s in windows, %s of the time, until %s UTC", roundedSeconds(r.Seconds), units.Percent(r.Duty), r.Time.Format(time.DateTime))
	}
	if r.Process.Ended {
		text += ", when the process ended"
	}
	if r.Process.Replaced {
		text += ", when the process began to run another program (exec): watch it again"
	}
	return text
}

func watchedDatabase(p *printer, r *record.Watch, d *record.WatchedDatabase) {
	p.field("Database", fmt.Sprintf("%s (%s)", d.Path, strings.TrimSpace(d.Library+" "+d.Version)))
	if !d.Checks.Hold() {
		p.failed("", d.Checks)
		return
	}
	p.field("Gets", fmt.Sprintf("%s, %s per second", units.Comma(d.Gets), perSecond(d.GetsPerSecond)))
	if d.IOsPerGet == nil {
		causeTable(p, d)
		watchedOthers(p, d)
		return
	}
	p.field("I/Os per Get", watchedIOs(d.IOsPerGet)+incomplete(r))
	distribution(p, record.Workload{}, d.Distribution)
	p.blank()
	watchedComponents(p, d)
	p.blank()
	causeTable(p, d)
	if len(d.Categories) > 0 {
		p.blank()
		watchedCategories(p, d)
	}
	if len(d.Callers) > 0 {
		p.blank()
		watchedCallers(p, "Gets", d.Callers, d.Reads.Count)
	}
	watchedOthers(p, d)
}

// watchedOthers writes the reads that no Get made by component, and of iterators also by caller.
func watchedOthers(p *printer, d *record.WatchedDatabase) {
	g := textTable{header: []string{"reads by", "top\nindex", "index", "filter", "data", "table\nopen", "other", "unknown"}}
	for _, c := range d.Causes {
		if c.Components == nil {
			continue
		}
		cells := []string{causeNames[c.Cause]}
		for _, component := range []string{record.TopIndex, record.Index, record.Filter, record.Data, record.TableOpen, record.Other} {
			cells = append(cells, units.Comma(c.Components[component].Reads))
		}
		g.add(append(cells, units.Comma(c.UnmappedReads))...)
	}
	if len(g.rows) > 0 {
		p.blank()
		p.table(&g)
	}
	if i := d.Iterators; i != nil && i.Opened > 0 {
		p.blank()
		p.field("Iterators", fmt.Sprintf("%s opened, %s", units.Comma(i.Opened), units.Plural(i.Seeks, "seek")))
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

func watchedIOs(io *record.WatchedIOs) string {
	text := units.IOs(io.Mean)
	if io.CI95 != nil {
		text += fmt.Sprintf(", 95%% interval %s to %s", units.IOs(io.CI95[0]), units.IOs(io.CI95[1]))
	}
	return text + fmt.Sprintf(" (%s of %.3g s)", units.Plural(int64(len(io.Windows)), "window"), io.WindowSeconds)
}

func watchedComponents(p *printer, d *record.WatchedDatabase) {
	g := textTable{header: []string{"component", "reads", "reads\nper Get", "bytes\nper Get", "share\nof I/Os"}}
	if d.BlockCache != nil {
		g.header = append(g.header, "block lookups\nper Get", "block cache\nhit rate")
	}
	row := func(name string, reads, bytes int64, looked *record.CacheAccesses) []string {
		cells := []string{name, units.Comma(reads), units.PerGet(reads, d.Gets), bytesRead(bytes, reads, d.Gets), units.PercentOf(reads, d.Reads.Count)}
		if looked != nil {
			cells = append(cells, units.PerGet(looked.Accesses, d.Gets), units.Thousandths(looked.HitRate))
		}
		return cells
	}
	for _, c := range reported(d.Components) {
		part := d.Components[c]
		var looked *record.CacheAccesses
		if d.BlockCache != nil {
			a := d.BlockCache.Components[c]
			looked = &a
		}
		g.add(row(strings.ReplaceAll(c, "_", " "), part.Reads, part.Bytes, looked)...)
	}
	var looked *record.CacheAccesses
	if d.BlockCache != nil {
		looked = &d.BlockCache.CacheAccesses
	}
	g.footer = row("total", d.Reads.Count, d.Reads.Bytes, looked)
	p.table(&g)
}

// causeTable writes all reads of the tables by cause.
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
	g := textTable{header: []string{title, "reads", "bytes", "from\ndevices", "page\ncache", "p50", "p99", "fetched\nahead"}}
	ahead := false
	for _, one := range all {
		name, r := each(one)
		ahead = ahead || r.FetchedAhead > 0
		g.add(append(append([]string{name}, readCells(r)...), units.PercentOf(r.FetchedAhead, r.Count))...)
	}
	if !ahead {
		g.header = g.header[:len(g.header)-1]
		for i := range g.rows {
			g.rows[i] = g.rows[i][:len(g.header)]
		}
	}
	p.table(&g)
}

var fileNames = map[record.FileKind]string{record.FileFreezer: "freezer", record.FileLog: "write-ahead logs", record.FileOther: "other"}

// watchedDevice writes which part of what the process has read from devices is in the figures.
func watchedDevice(p *printer, d *record.WatchedDevice) {
	if d == nil {
		return
	}
	if d.ProcessBytes == 0 {
		p.prose("The process has read nothing from devices.")
		return
	}
	text := fmt.Sprintf("The process has read %s from devices: %s by reads of tables and %s by reads of other files.",
		units.Size(d.ProcessBytes), units.PercentOf(d.TableBytes, d.ProcessBytes), units.PercentOf(d.FileBytes, d.ProcessBytes))
	if d.TableBytes+d.FileBytes < d.ProcessBytes {
		text += " What is missing was read in ways that are not followed, such as mapped files and directories."
	}
	p.prose(text)
}

var causeNames = map[record.ReadCause]string{
	record.CauseGet: "Gets", record.CauseIterator: "iterators", record.CauseCompaction: "compactions", record.CauseFlush: "flushes",
	record.CauseStatistics: "table statistics", record.CauseIngestion: "ingestion", record.CauseOpen: "opening", record.CauseOther: "other",
}

func readCells(r *record.WatchedReads) []string {
	cells := []string{units.Comma(r.Count), units.Size(r.Bytes), units.Size(r.DeviceBytes), units.PercentOf(r.FromPageCache-r.FetchedAhead, r.Count)}
	if r.Latency == nil {
		return append(cells, absent(2)...)
	}
	return append(cells, timeText(r.Latency.P50), timeText(r.Latency.P99))
}

func watchedCategories(p *printer, d *record.WatchedDatabase) {
	g := textTable{header: []string{"category of keys", "Gets", "share\nof Gets", "I/Os\nper Get", "share\nof I/Os", "bytes\nper Get", "page\ncache", "p99"}, spare: []int{5, 2, 7}}
	if d.BlockCache != nil {
		g.header = append(g.header, "block cache\nhit rate")
	}
	for _, c := range d.Categories {
		cells := readCells(&c.Reads)
		if c.BlockCache != nil {
			cells = append(cells, units.Thousandths(c.BlockCache.HitRate))
		}
		g.add(append([]string{c.Category, units.Comma(c.Gets), units.PercentOf(c.Gets, d.Gets), units.PerGet(c.Reads.Count, c.Gets),
			units.PercentOf(c.Reads.Count, d.Reads.Count), bytesRead(c.Reads.Bytes, c.Reads.Count, c.Gets), cells[3]}, cells[5:]...)...)
	}
	p.table(&g)
}

// mostCallers is how many callers are listed.
const mostCallers = 20

func watchedCallers(p *printer, of string, callers []*record.WatchedCaller, reads int64) {
	g := textTable{header: []string{"caller of " + of, "accessor", "reads", "share\nof I/Os", "page\ncache", "p99"}, left: []int{1}, spare: []int{4, 5}}
	for _, c := range callers[:min(mostCallers, len(callers))] {
		cells := readCells(&c.WatchedReads)
		g.add(shortened(c.Method, 30), shortened(orAbsent(c.Accessor), 22), cells[0], units.PercentOf(c.Count, reads), cells[3], cells[5])
	}
	p.table(&g)
	if more := len(callers) - mostCallers; more > 0 {
		p.prose(units.Plural(int64(more), "caller") + " with fewer reads are in the record.")
	}
}

// watchLosses writes what could not be counted, if anything.
func watchLosses(p *printer, r *record.Watch) {
	l := &r.Losses
	var lost []string
	for _, each := range []struct {
		n    int64
		what string
	}{
		{l.LostReads, "reads that the kernel had no room to report"},
		{l.UntrackedGets, "Gets that the kernel had no room to note"},
		{l.UnownedReads, "reads whose database is unknown"},
		{l.UnbegunReads, "reads by Gets that were not seen to begin"},
		{l.UnmappedReads, "reads of tables that were gone before their blocks were known"},
		{l.MisplacedReads, "reads that fit no block of their table"},
		{l.LostAccesses, "lookups in the block cache"},
	} {
		if each.n > 0 {
			lost = append(lost, units.Comma(each.n)+" "+each.what)
		}
	}
	switch {
	case len(lost) == 0:
		p.prose("Every Get and every read of a table was counted.")
	case r.Complete:
		p.prose("Not in these figures, at most 0.1%: " + strings.Join(lost, "; ") + ".")
	default:
		p.prose("INCOMPLETE: more than 0.1% is missing from these figures: " + strings.Join(lost, "; ") + ".")
	}
	if l.UnplacedGets > 0 {
		p.prose(units.Plural(l.UnplacedGets, "Get") + " more were made in databases of which no table was read, so that their directories are unknown.")
	}
}

// watchedTrace says what a trace holds, and what to compare its replay with.
func watchedTrace(p *printer, t *record.WatchedTrace) {
	of := "all keys"
	if t.Sample > 1 {
		of = fmt.Sprintf("one in %d ranges of neighbouring keys", t.Sample)
	}
	if t.Keys != "whole" {
		of += ", hashed"
	}
	warmup := fmt.Sprintf("the first %s to warm up", units.Count(t.WarmupOperations))
	if t.WarmupOperations == 0 {
		warmup = "too few for a warm-up: watch for longer"
	}
	p.field("Trace", fmt.Sprintf("%s: %s of %s of %s (%s), %s", t.Path, units.Plural(t.Operations, "Get"), units.Count(t.Gets), t.Database, of, warmup))
	if m := t.Measured; m != nil {
		text := fmt.Sprintf("%.4f I/Os per Get while its measured part was recorded", m.Mean)
		if m.CI95 != nil {
			text += fmt.Sprintf(", 95%% interval %.4f to %.4f", m.CI95[0], m.CI95[1])
		}
		p.field("", text)
	}
	if t.MemtableShare > 0 {
		p.field("", fmt.Sprintf("memtables took about %s of the block cache: measure, sweep and curve set the same share aside", units.Percent(t.MemtableShare)))
	}
	switch missing := "the keys of " + units.Plural(t.LostGets, "Get") + " are missing"; {
	case !t.Complete():
		p.field("", "INCOMPLETE: "+missing)
	case t.LostGets > 0:
		p.field("", missing)
	}
}
