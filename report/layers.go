package report

import (
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// layered reports whether anything is known of the device below the files. Counted outside, it is all
// that is known.
func layered(r *record.Result) bool {
	return r.Counted != record.CountedOutside && (r.Device.ReadsPerGet != nil || r.Device.BytesPerGet != nil)
}

// layer is one of those that a read passes, from the block cache down.
type layer struct {
	name, column string
	reads, bytes func(*record.Result) string // per Get
}

var layers = []layer{
	{"block cache (misses)", "block cache\nmisses",
		func(r *record.Result) string { return figure(blockCache(r).MissesPerGet, units.IOs) },
		func(r *record.Result) string { return figure(blockCache(r).BytesPerGet, units.MeanSize) }},
	{"files", "file\nreads",
		func(r *record.Result) string { return units.IOs(r.File.ReadsPerGet) },
		func(r *record.Result) string { return units.MeanSize(r.File.BytesPerGet) }},
	{"device", "device\nreads",
		func(r *record.Result) string { return figure(r.Device.ReadsPerGet, units.IOs) },
		func(r *record.Result) string { return figure(r.Device.BytesPerGet, units.MeanSize) }},
}

// blockCache is what the block cache counts, if anything.
func blockCache(r *record.Result) record.BlockCache {
	if r.Cached == nil {
		return record.BlockCache{}
	}
	return *r.Cached
}

// layerTable writes the reads of each layer per Get.
func layerTable(p *printer, r *record.Result) {
	one := r.Workload.Words().One
	p.table(newTable(layers,
		col("layer", func(l layer) string { return l.name }),
		col("reads\nper "+one, func(l layer) string { return l.reads(r) }),
		col("bytes read\nper "+one, func(l layer) string { return l.bytes(r) })))
}

// sweepLayers writes the same for all sizes whose self-checks held, a row each, and the
// speed with a modelled device; nothing if none has either.
func sweepLayers(p *printer, sorted []*record.Result) {
	known := func(r *record.Result) bool {
		return r.Checks.Hold() && (layered(r) || r.Device.Modelled != nil)
	}
	if !slices.ContainsFunc(sorted, known) {
		return
	}
	modelled := slices.ContainsFunc(sorted, func(r *record.Result) bool { return r.Device.Modelled != nil })
	one := sorted[0].Workload.Words().One
	columns := []column[*record.Result]{col("cache", cacheSize)}
	for i, l := range layers {
		columns = append(columns, col(l.column+"/"+one, l.reads), col("\nbytes/"+one, l.bytes).spareAs(max(0, 2-i)))
	}
	columns = append(columns, col("MODELLED\n"+sorted[0].Workload.Words().Many+"/s", func(r *record.Result) string {
		return figure(r.Device.Modelled, func(m record.ModelledDevice) string { return units.Comma(int64(math.Round(m.GetsPerSecond))) })
	}).when(modelled))
	p.table(newTable(slices.DeleteFunc(slices.Clone(sorted), func(r *record.Result) bool { return !known(r) }), columns...))
	p.prose("Page cache: " + distinct(sorted, orElse, func(r *record.Result) string { return say("page cache", r.Device) }) + ".")
	if modelled {
		p.prose("The device was MODELLED: " + distinct(sorted, orElse, func(r *record.Result) string {
			if r.Device.Modelled == nil {
				return "the real one"
			}
			return say("modelled", r.Device.Modelled)
		}) + "; each read of a file counts as one of it.")
	}
	p.blank()
}
