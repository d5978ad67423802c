package report

import (
	"io"
	"math"
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
		updatesSection(p, r.Updates)
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
	var parts []string
	for _, part := range []struct {
		known bool
		text  string
	}{
		{e.CPU != "", e.CPU},
		{e.CPUs > 0, units.Plural(int64(e.CPUs), "processor")},
		{e.MemoryMiB > 0, units.Size(e.MemoryMiB<<20) + " of memory"},
		{e.OS != "", strings.TrimSpace(e.OS + " " + e.Kernel)},
		{e.Go != "", e.Go},
	} {
		if part.known {
			parts = append(parts, part.text)
		}
	}
	return strings.Join(parts, ", ")
}

// plainGets reports whether all results are of Gets in databases without concurrent
// updates: other figures do not tell which cache to take.
func plainGets(results []*record.Result) bool {
	for _, r := range results {
		if r.Workload.Operation != "" || r.Updates != nil {
			return false
		}
	}
	return true
}

// upper returns the text with a capital first letter.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
