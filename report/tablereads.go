package report

import (
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// tableReads writes what a Get in each table of an MDBX database read.
func tableReads(p *printer, r *record.Result) {
	g := textTable{header: []string{"table", "", "entries", "Gets", "reads\nper Get", "bytes read\nper Get"}, left: []int{0, 1}, spare: []int{3, 2}}
	for _, t := range r.Tables {
		kind := ""
		if t.DupSort {
			kind = "dupsort"
		}
		g.add(t.Name, kind, units.Comma(t.Entries), units.Comma(t.Gets), units.IOs(t.ReadsPerGet), units.MeanSize(t.BytesPerGet))
	}
	p.table(&g)
	p.prose("The kernel counted these reads of the disk, for a process that looked the keys up. Which pages they were for is not known.")
}

// tablesSweep writes measurements counted outside at several sizes, a column for each table.
func tablesSweep(p *printer, sorted []*record.Result) {
	g := textTable{header: []string{"cache", "% of\nDB", "I/Os\n/Get", "±95%", "steady", "bytes\n/Get"}, left: []int{4}, spare: []int{5}}
	for i, t := range sorted[0].Tables {
		g.header = append(g.header, t.Name+"\nI/Os/Get")
		g.spare = slices.Insert(g.spare, 1, 6+i)
	}
	for _, r := range sorted {
		cells := []string{cacheSize(r), fractionOfDB(r)}
		if !r.Checks.Hold() {
			cells = append(cells, units.Absent, units.Absent, "FAILED", units.Absent)
		} else {
			cells = append(cells, meanCell(r), halfWidth(r.IOsPerGet), steadyCell(r.IOsPerGet), bytesPerGet(r))
		}
		for i := range sorted[0].Tables {
			cell := units.Absent
			if r.Checks.Hold() && i < len(r.Tables) {
				cell = iosPerGet(r.Tables[i].ReadsPerGet)
			}
			cells = append(cells, cell)
		}
		g.add(cells...)
	}
	p.table(&g)
}
