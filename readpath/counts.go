package readpath

// PerComponent holds one figure per component, indexed by Component.
type PerComponent [NumComponents]int64

// Sum adds the figures of all components.
func (p PerComponent) Sum() int64 {
	var sum int64
	for _, v := range p {
		sum += v
	}
	return sum
}

// Sub returns p - q, component by component.
func (p PerComponent) Sub(q PerComponent) PerComponent {
	for c := range p {
		p[c] -= q[c]
	}
	return p
}

// Add returns p + q, component by component.
func (p PerComponent) Add(q PerComponent) PerComponent {
	for c := range p {
		p[c] += q[c]
	}
	return p
}

// Reads are the reads that reached the files, per component.
//
// Invariant: Misplaced counts reads that are also in Count[Other] and in
// Bytes[Other]; they fitted no block region of their table.
type Reads struct {
	Count PerComponent // number of reads
	Bytes PerComponent // bytes asked for, block trailers included

	// Footers is the part of Count[TableOpen] that read a table's footer.
	// Engines do not pass footers through the block cache.
	Footers int64
	// Misplaced reads crossed a region's border, or met a single-block region
	// without reading exactly that block. Any of them means that the region
	// map is wrong, so that no number of the run can be believed.
	Misplaced int64
}

// Sub returns the reads made between q and r.
func (r Reads) Sub(q Reads) Reads {
	return Reads{
		Count:     r.Count.Sub(q.Count),
		Bytes:     r.Bytes.Sub(q.Bytes),
		Footers:   r.Footers - q.Footers,
		Misplaced: r.Misplaced - q.Misplaced,
	}
}

// Accesses are the blocks asked for, per component, whether or not the block
// cache had them.
type Accesses struct {
	Count PerComponent
	// SplitExact tells how Index and Data were told apart. Their sum is always
	// exact; false means that Data was taken to be one block per table probed
	// past its filter, which misses the probes that step into a second block.
	SplitExact bool
}

// Sub returns the accesses made between q and a.
func (a Accesses) Sub(q Accesses) Accesses {
	return Accesses{Count: a.Count.Sub(q.Count), SplitExact: a.SplitExact && q.SplitExact}
}
