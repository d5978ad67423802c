package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// provenance writes how a measurement was obtained: by which Gets, from which database.
func provenance(p *printer, r *record.Result) {
	w := r.Workload
	p.field(upper(w.Words().Many), getsText(r))
	if w.Trace != "" {
		p.field("Trace", fmt.Sprintf("%s (SHA-256 %s)", w.Trace, w.TraceSHA256))
	}
	if w.Lookup == record.LookupSeek {
		p.field("Lookups", seekText)
	}
	p.field("Warm-up", warmupText(w))
	p.field("Windows", fmt.Sprintf("%s of %s %s", units.CommaOf(int64(len(r.IOsPerGet.Windows))), units.CommaOf(r.IOsPerGet.WindowGets), w.Words().Many))
	p.field("Page cache", pageCache(r.Device.PageCache))
	if m := r.Device.Modelled; m != nil {
		p.field("Device", "MODELLED: "+modelledDevice(m)+"; each read of a file counts as one of the device, even if memory served it")
	}
	if n := r.UpdatesBefore(); n > 0 {
		p.field("Updates", updatesText(n))
	}
	if r.SharedLoads != nil {
		p.field("Shared loads", units.Plural(*r.SharedLoads, "miss", "misses")+" of the block cache waited for another Get's read of the same block")
	}
	p.field("Database", databaseText(r.Dataset))
	p.field("Engine", engineText(r.Engine))
	if r.Engine.ReadAs != "" {
		p.field("Read as", r.Engine.ReadAs)
	}
}

const seekText = "by prefix seeks of an iterator, which consult the filters of L6, unlike Gets, and all levels"

func updatesText(n int64) string { return units.Plural(n, "key") + " overwritten before the Gets" }

// warmupText is the number of Gets that warmed the cache up and their rule; without a
// rule, 0 means unknown.
func warmupText(w record.Workload) string {
	gets := units.Absent
	if w.WarmupGets != 0 || w.WarmupRule != "" {
		gets = units.Comma(w.WarmupGets)
	}
	return fmt.Sprintf("%s %s (rule: %s)", gets, w.Words().Many, orAbsent(w.WarmupRule))
}

func pageCache(state string) string {
	switch state {
	case "bypassed":
		return "bypassed: every I/O reached the device"
	case "dropped":
		return "in use, without the tables' pages before the warm-up: an I/O is a read of a file, which memory may serve if it was read before"
	case "limited":
		return "of the database, empty before the warm-up and then limited: an I/O is a read of the disk"
	case "cached":
		return "in use: an I/O is a read of a file, which memory may serve"
	}
	return orAbsent(state)
}

func databaseText(d record.Dataset) string {
	parts := []string{orAbsent(d.Kind)}
	if d.Keys > 0 {
		parts = append(parts, units.Plural(int64(d.Keys), "key")+" ("+orAbsent(d.Keyspace)+")")
	} else {
		parts = append(parts, units.CommaOf(d.Records)+" records ("+orAbsent(d.Keyspace)+")")
	}
	parts = append(parts, units.SizeOf(d.Bytes), orAbsent(d.Path))
	s := strings.Join(parts, ", ")
	if d.WALKeys > 0 {
		s += "; " + units.Plural(d.WALKeys, "record") + " only in the write-ahead log, read from memory"
	}
	return s
}

func engineText(e record.Engine) string {
	return fmt.Sprintf("%s, version %s, preset %s", orAbsent(e.Name), orAbsent(e.Version), orAbsent(e.Preset))
}

// modelledDevice describes the device that was modelled.
func modelledDevice(m *record.ModelledDevice) string {
	var parts []string
	if m.IOPS > 0 {
		parts = append(parts, units.Comma(m.IOPS)+" reads per second")
	}
	if m.ReadLatencyUS > 0 {
		latency := time.Duration(math.Round(m.ReadLatencyUS * 1e3)).String()
		parts = append(parts, strings.Replace(latency, "µ", "u", 1)+" added to each read")
	}
	return strings.Join(parts, ", ")
}

func deviceText(r *record.Result) string {
	if r.Device.Modelled == nil {
		return "the real one"
	}
	return modelledDevice(r.Device.Modelled)
}
