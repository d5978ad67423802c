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
	// Probed are the tables that their filter, if it was consulted, did not
	// rule out. Each costs a data block and, if it has a second-level index, an
	// index block; now and then the key lies behind its block's last one, and
	// the next block is asked for too.
	Probed int64
	// SplitExact tells how Index, Data and Other were told apart. Their sum is
	// always exact; false means that Data was taken to be Probed and Index to
	// be the rest.
	SplitExact bool
	// FiltersOnly: nothing is known but Count[Filter], because others than Gets ask for
	// blocks too.
	FiltersOnly bool
}

// Sub returns the accesses made between q and a.
func (a Accesses) Sub(q Accesses) Accesses {
	return Accesses{
		Count:       a.Count.Sub(q.Count),
		Probed:      a.Probed - q.Probed,
		SplitExact:  a.SplitExact && q.SplitExact,
		FiltersOnly: a.FiltersOnly || q.FiltersOnly,
	}
}

// Rest is the sum that the libraries do not tell apart.
func (a Accesses) Rest() int64 {
	return a.Count[Index] + a.Count[Data] + a.Count[Other]
}

// SplitLike shares the sum of index, data and other accesses as a sample of
// the same kind of Gets does, of which the split is exact: as many data blocks
// per table probed, as large a part for other.
func (a Accesses) SplitLike(sample Accesses) Accesses {
	rest := a.Rest()
	if a.SplitExact || sample.Probed == 0 || sample.Rest() == 0 {
		return a
	}
	a.Count[Other] = scale(rest, sample.Count[Other], sample.Rest())
	a.Count[Data] = min(scale(a.Probed, sample.Count[Data], sample.Probed), rest-a.Count[Other])
	a.Count[Index] = rest - a.Count[Data] - a.Count[Other]
	return a
}

// SplitIndexLike is SplitLike of operations that read any number of data blocks of a
// table that they visit: as many index blocks per visit as in the sample, and data
// blocks are what remains.
func (a Accesses) SplitIndexLike(sample Accesses) Accesses {
	rest := a.Rest()
	if a.SplitExact || sample.Count[TopIndex] == 0 || sample.Rest() == 0 {
		return a
	}
	a.Count[Other] = scale(rest, sample.Count[Other], sample.Rest())
	a.Count[Index] = min(scale(a.Count[TopIndex], sample.Count[Index], sample.Count[TopIndex]), rest-a.Count[Other])
	a.Count[Data] = rest - a.Count[Index] - a.Count[Other]
	return a
}

// scale is n * by / of, rounded.
func scale(n, by, of int64) int64 { return int64(float64(n)*float64(by)/float64(of) + 0.5) }
