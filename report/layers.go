package report

import (
	"math"
	"slices"
	"strings"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// layered reports whether anything is known of the device below the files. Counted outside, it is all
// that is known.
func layered(r *record.Result) bool {
	return r.Counted != record.CountedOutside && (r.Device.ReadsPerGet != nil || r.Device.BytesPerGet != nil)
}

// layerTable writes the reads of each layer per Get, from the block cache down.
func layerTable(p *printer, r *record.Result) {
	one := r.Workload.Words().One
	g := textTable{header: []string{"layer", "reads\nper " + one, "bytes read\nper " + one}}
	cells := layerCells(r)
	for i, layer := range []string{"block cache (misses)", "files", "device"} {
		g.add(layer, cells[2*i], cells[2*i+1])
	}
	p.table(&g)
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
	g := textTable{header: []string{"cache", "block cache\nmisses/" + one, "\nbytes/" + one, "file\nreads/" + one, "\nbytes/" + one, "device\nreads/" + one, "\nbytes/" + one}, spare: []int{4, 2}}
	if modelled {
		g.header = append(g.header, "MODELLED\n"+sorted[0].Workload.Words().Many+"/s")
	}
	for _, r := range sorted {
		if !known(r) {
			continue
		}
		cells := append([]string{cacheSize(r)}, layerCells(r)...)
		if modelled {
			cells = append(cells, modelledSpeed(r.Device.Modelled))
		}
		g.add(cells...)
	}
	p.table(&g)
	p.prose("Page cache: " + distinct(sorted, func(r *record.Result) string { return pageCache(r.Device.PageCache) }) + ".")
	if modelled {
		p.prose("The device was MODELLED: " + distinct(sorted, deviceText) + "; each read of a file counts as one of it.")
	}
	p.blank()
}

// layerCells are reads and bytes per Get at each layer.
func layerCells(r *record.Result) []string {
	misses, blocks := units.Absent, units.Absent
	if r.Cached != nil {
		misses, blocks = figure(r.Cached.MissesPerGet, units.IOs), figure(r.Cached.BytesPerGet, units.MeanSize)
	}
	return []string{misses, blocks, units.IOs(r.File.ReadsPerGet), units.MeanSize(r.File.BytesPerGet),
		figure(r.Device.ReadsPerGet, units.IOs), figure(r.Device.BytesPerGet, units.MeanSize)}
}

func modelledSpeed(m *record.ModelledDevice) string {
	if m == nil {
		return units.Absent
	}
	return units.Comma(int64(math.Round(m.GetsPerSecond)))
}

func deviceText(r *record.Result) string {
	if r.Device.Modelled == nil {
		return "the real one"
	}
	return modelledDevice(r.Device.Modelled)
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
