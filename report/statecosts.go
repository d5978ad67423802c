package report

import (
	"fmt"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

func stateCosts(p *printer, group []*record.State) {
	g := &textTable{header: []string{"store", "version", "on disk\nB/key", "memory\nMiB", "load\nkeys/s", "load CPU\nus/key", "written\nper byte", "proof\nbytes"}, left: []int{1}, spare: []int{4, 1, 5}}
	for _, r := range group {
		keys := float64(r.Keys)
		memory, proof := "-", "-"
		if r.AnonymousBytes > 0 {
			memory = memoryOf(r)
		}
		if row := r.Row(record.LookupsWithProof); row != nil && row.ProofBytes > 0 {
			proof = fmt.Sprintf("%.0f", row.ProofBytes)
		}
		g.add(storeName(r), shortened(units.OneLine(r.Store.Version), 20), fmt.Sprintf("%.0f", float64(r.DiskBytes)/keys), memory,
			units.Count(int64(keys/r.Load.Seconds)), fmt.Sprintf("%.1f", 1e6*r.Load.CPUSeconds/keys), amplification(r, r.Load, 1), proof)
	}
	p.table(g)
	noteUnused(p, group)
}

// memoryOf is the memory of a store in MiB, marked if it includes unused memory.
func memoryOf(r *record.State) string {
	mark := ""
	if r.IncludesUnused() {
		mark = "*"
	}
	return fmt.Sprintf("%.1f%s", float64(r.AnonymousBytes)/(1<<20), mark)
}

// noteUnused explains the mark of memoryOf, if a record of a group has it.
func noteUnused(p *printer, group []*record.State) {
	if slices.ContainsFunc(group, func(r *record.State) bool { return r.AnonymousBytes > 0 && r.IncludesUnused() }) {
		p.prose("*: includes memory that the process kept but did not use, such as garbage, as records before version 4 do.")
	}
}

// amplification is the bytes written for each byte of keys and values of a share of the keys.
func amplification(r *record.State, l record.StateLoad, share float64) string {
	if l.WrittenBytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(l.WrittenBytes)/(share*float64(r.Keys)*float64(r.KeySize+r.ValueSize)))
}

// stateWear writes what lookups cost after shares of the keys were overwritten, if any were.
func stateWear(p *printer, group []*record.State) {
	var shares []float64
	for _, r := range group {
		for _, w := range r.Worn {
			if !slices.Contains(shares, w.Share) {
				shares = append(shares, w.Share)
			}
		}
	}
	if len(shares) == 0 {
		return
	}
	slices.Sort(shares)
	g := &textTable{header: []string{"store", "lookups of", "cold\nas loaded"}, left: []int{1}}
	for _, s := range shares {
		g.header = append(g.header, fmt.Sprintf("%g%% over-\nwritten", 100*s))
	}
	for _, s := range shares {
		g.header = append(g.header, fmt.Sprintf("at %g%%\nB/key", 100*s), "written\nper byte")
		g.spare = append(g.spare, len(g.header)-1)
	}
	for _, r := range group {
		for i, row := range r.Rows {
			if len(r.Worn) == 0 {
				continue
			}
			name := ""
			if i == 0 {
				name = storeName(r)
			}
			g.add(append([]string{name, lookupNames[row.Kind], fmt.Sprintf("%.2f", row.Cold.Reads)}, wornCells(r, i, shares)...)...)
		}
	}
	p.blank()
	p.prose("Cold lookups after shares of the keys got other values, each key once and in random order")
	p.table(g)
}

// wornCells are the reads of the i-th kind of lookups after each share; in the first row also the
// bytes on disk, and those written since the share before.
func wornCells(r *record.State, i int, shares []float64) []string {
	reads, costs := make([]string, len(shares)), make([]string, 2*len(shares))
	for k, s := range shares {
		reads[k] = "-"
		before := 0.0
		for _, w := range r.Worn {
			if w.Share == s && i < len(w.Rows) {
				reads[k] = fmt.Sprintf("%.2f", w.Rows[i].Cold.Reads)
				if i == 0 {
					costs[2*k] = fmt.Sprintf("%.0f", float64(w.DiskBytes)/float64(r.Keys))
					costs[2*k+1] = amplification(r, w.Load, s-before)
				}
			}
			before = w.Share
		}
	}
	return append(reads, costs...)
}

// stateGrowth writes how cold reads and memory grow with the keys, for stores measured with several
// numbers of keys.
func stateGrowth(p *printer, all []*record.State) {
	for _, group := range study.ComparableStates(all) {
		sizes := sizesOf(group)
		if len(sizes) < 2 {
			continue
		}
		reads := &textTable{header: []string{"store"}}
		memory := &textTable{header: []string{"store"}}
		for _, n := range sizes {
			reads.header = append(reads.header, units.Count(int64(n)))
			memory.header = append(memory.header, units.Count(int64(n)))
		}
		reads.header = append(reads.header, "per tenfold")
		memory.header = append(memory.header, "fixed", "B/key")
		if len(sizes) > 2 {
			memory.header = append(memory.header, "predicted")
		}
		for _, runs := range study.GroupBy(group, func(r *record.State) any { return r.Label }) {
			growthOf(runs, sizes, reads, memory)
		}
		p.blank()
		p.line("Reads of a cold lookup of an existing key, by number of keys")
		p.table(reads)
		if len(memory.rows) > 0 {
			p.blank()
			p.prose("Memory by number of keys, in MiB, and as a fixed part and bytes per key")
			p.table(memory)
			noteUnused(p, group)
			if len(sizes) > 2 {
				p.prose("Predicted: memory with the most keys, from the line through the sizes before, and by how much that differs from the measured memory.")
			}
		}
	}
}

// sizesOf are the numbers of keys that stores were measured with.
func sizesOf(group []*record.State) (sizes []uint64) {
	for _, r := range group {
		if r.Row(record.LookupsOfExisting) != nil && !slices.Contains(sizes, r.Keys) {
			sizes = append(sizes, r.Keys)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// growthOf adds the lines of one store, whose runs have different numbers of keys.
func growthOf(runs []*record.State, sizes []uint64, reads, memory *textTable) {
	readCells, memoryCells := []string{storeName(runs[0])}, []string{storeName(runs[0])}
	var readsAt, memoryAt []point
	for _, n := range sizes {
		readCell, memoryCell := "-", "-"
		if i := slices.IndexFunc(runs, func(r *record.State) bool { return r.Keys == n }); i >= 0 {
			r := runs[i]
			if row := r.Row(record.LookupsOfExisting); row != nil {
				readCell = fmt.Sprintf("%.2f", row.Cold.Reads)
				readsAt = append(readsAt, point{math.Log10(float64(n)), row.Cold.Reads})
			}
			if r.AnonymousBytes > 0 {
				memoryCell = memoryOf(r)
				// A line is drawn through memory that was measured in one way.
				if r.IncludesUnused() == runs[0].IncludesUnused() {
					memoryAt = append(memoryAt, point{float64(n), float64(r.AnonymousBytes)})
				}
			}
		}
		readCells, memoryCells = append(readCells, readCell), append(memoryCells, memoryCell)
	}
	tenfold := "-"
	if _, slope, ok := lineThrough(readsAt); ok {
		tenfold = fmt.Sprintf("%+.2f", slope)
	}
	reads.add(append(readCells, tenfold)...)
	if fixed, perKey, ok := lineThrough(memoryAt); ok {
		memoryCells = append(memoryCells, fmt.Sprintf("%.1f", fixed/(1<<20)), fmt.Sprintf("%.1f", perKey))
		if len(sizes) > 2 {
			memoryCells = append(memoryCells, predictedMemory(memoryAt))
		}
		memory.add(memoryCells...)
	}
}

// predictedMemory is the memory at the last point on the line through the points before it, and how
// far that is from the last point.
func predictedMemory(points []point) string {
	n := len(points) - 1
	fixed, perKey, ok := lineThrough(points[:n])
	if !ok {
		return "-"
	}
	last := points[n]
	predicted := fixed + perKey*last.x
	return fmt.Sprintf("%.1f (%+.0f%%)", predicted/(1<<20), 100*(predicted/last.y-1))
}

type point struct{ x, y float64 }

// lineThrough is the line through the first and the last of at least two points: its value at 0,
// and its slope.
func lineThrough(points []point) (at0, slope float64, ok bool) {
	if len(points) < 2 {
		return 0, 0, false
	}
	from, to := points[0], points[len(points)-1]
	slope = (to.y - from.y) / (to.x - from.x)
	return from.y - slope*from.x, slope, true
}
