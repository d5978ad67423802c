package report

import (
	"fmt"
	"io"
	"math"

	"getio/numbers/steady"
	"getio/numbers/units"
	"getio/record"
)

// Measurement writes one measurement, the number first. If a self-check failed, it writes
// the failed checks and no number.
func Measurement(w io.Writer, r *record.Result) error {
	p := newPrinter(w)
	if !r.Checks.Hold() {
		unbelievable(p, r)
		return p.flush()
	}
	headline(p, r)
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
		updatesSection(p, r.Updates)
		p.blank()
	}
	singles(p, r)
	p.field("Cache", cacheText(r))
	if r.Counted != record.CountedOutside {
		p.field("Phase", phaseText(r))
		p.field("Speed", speed(r))
	}
	p.blank()
	provenance(p, r)
	p.blank()
	selfChecks(p, r.Checks)
	for _, warning := range r.Warnings {
		p.field("Warning", warning)
	}
	return p.flush()
}

func unbelievable(p *printer, r *record.Result) {
	p.prose(fmt.Sprintf("The run with a cache of %s CANNOT BE BELIEVED: %d of its %s failed, so none of its figures is printed.",
		cacheSize(r), len(r.Checks.Failed()), units.Plural(int64(len(r.Checks)), "self-check")))
	p.blank()
	p.failed("", r.Checks)
	p.blank()
	p.prose("Two counts of the same reads disagree. Measure again while nothing else uses the database and its cache; " +
		"if the same check fails again, getio misreads this database: report the record (--json) together with what wrote the database.")
}

func headline(p *printer, r *record.Result) {
	if !r.Measured() {
		p.prose("- I/Os per Get: no Gets were measured.")
		return
	}
	p.line(fmt.Sprintf("%s I/Os per %s  (%s)", units.IOs(r.IOsPerGet.Mean), r.Workload.Words().One, interval(r)))
	if k := r.PerKey; k != nil {
		p.line(fmt.Sprintf("%s I/Os and %s per key, of %s keys", units.IOs(k.IOs), units.MeanSize(k.Bytes), units.Comma(k.Keys)))
	}
	p.prose(steadiness(r.IOsPerGet, r.Workload.Words().Many))
}

func interval(r *record.Result) string {
	ci := r.IOsPerGet.CI95
	if ci == nil {
		return "95% interval -"
	}
	return fmt.Sprintf("95%% interval %s to %s", units.IOs(ci[0]), units.IOs(ci[1]))
}

// steadiness says whether more Gets would change the number.
func steadiness(io record.IOsPerGet, operations string) string {
	switch {
	case io.Steady == nil:
		return "Steady or not: cannot be told from so few " + operations + "."
	case *io.Steady && io.Drift == nil:
		return "Steady."
	case *io.Steady && math.Abs(*io.Drift) >= steady.MaxRelative: // of hardly any reads
		return fmt.Sprintf("Steady: it changed by less than %g over all %s.", steady.MaxReads, operations)
	case *io.Steady:
		return fmt.Sprintf("Steady: it changed by %[2]s over all %[1]s.", operations, units.SignedPercent(*io.Drift))
	case io.Drift == nil:
		return "NOT STEADY: with more " + operations + " the number will change."
	default:
		return fmt.Sprintf("NOT STEADY: still %s, by %s over all %s made. With more %s the number will be %s.",
			direction(*io.Drift), units.Percent(math.Abs(*io.Drift)), operations, operations, comparative(*io.Drift))
	}
}

func comparative(drift float64) string {
	if drift < 0 {
		return "lower"
	}
	return "higher"
}

// cacheText describes the cache.
func cacheText(r *record.Result) string {
	c := r.Cache
	switch {
	case c.Bytes == 0 && r.Measured():
		return "none: every access is a read"
	case c.Bytes == 0:
		return units.Absent
	}
	if r.Counted == record.CountedOutside {
		return fmt.Sprintf("%s of page cache, %s of the database; the process and the kernel's page tables take %s more", units.Size(c.Bytes), fractionOfDB(r), units.SizeOf(c.ProcessBytes))
	}
	text := fmt.Sprintf("%s, %s of the database, %s", units.Size(c.Bytes), fractionOfDB(r), units.Plural(int64(c.Shards), "shard"))
	if c.ReservedBytes > 0 {
		text += fmt.Sprintf(", %s of it reserved for memtables", units.Size(c.ReservedBytes))
	}
	return text
}

// phaseText compares the cache with the inflection points of the tree.
func phaseText(r *record.Result) string {
	ip1, ip2, rest := units.Absent, units.Absent, ""
	if r.Shape != nil {
		ip1, ip2 = units.Size(r.Shape.IP1Bytes), units.Size(r.Shape.IP2Bytes)
		if forBlocks := r.Cache.Bytes - r.Cache.ReservedBytes; r.Shape.Phase(forBlocks) < r.Cache.Phase {
			rest = fmt.Sprintf("; without the memtable's part, %s, it is below that", units.Size(forBlocks))
		}
	}
	switch r.Cache.Phase {
	case 1:
		return fmt.Sprintf("1, below IP1 (%s; IP2 %s)", ip1, ip2)
	case 2:
		return fmt.Sprintf("2, between IP1 (%s) and IP2 (%s)%s", ip1, ip2, rest)
	case 3:
		return fmt.Sprintf("3, above IP2 (%s; IP1 %s)%s", ip2, ip1, rest)
	}
	return fmt.Sprintf("- (IP1 %s, IP2 %s)", ip1, ip2)
}

func speed(r *record.Result) string {
	gets, cpu, words := units.Absent, units.Absent, r.Workload.Words()
	perSecond, of := r.GetsPerSecond, ""
	if m := r.Device.Modelled; m != nil {
		perSecond, of = m.GetsPerSecond, " with the MODELLED device"
	}
	if perSecond > 0 {
		gets = units.Comma(int64(math.Round(perSecond)))
	}
	if r.Latency != nil && r.Latency.Rate > 0 {
		return fmt.Sprintf("%s %s/s%s, of %s due", gets, words.Many, of, units.Comma(r.Latency.Rate))
	}
	if r.CPUusPerGet > 0 {
		cpu = units.ThreeDigits(r.CPUusPerGet)
	}
	return fmt.Sprintf("%s %s/s%s, %s us of CPU per %s", gets, words.Many, of, cpu, words.One)
}

// selfChecks counts the checks that passed, and details those that failed.
func selfChecks(p *printer, checks record.Checks) {
	if len(checks) == 0 {
		p.field("Self-checks", "none recorded")
		return
	}
	failed := checks.Failed()
	p.field("Self-checks", fmt.Sprintf("%d of %d passed", len(checks)-len(failed), len(checks)))
	for _, c := range failed {
		p.field("  FAILED", c.Name+": "+orAbsent(c.Detail))
	}
}
