package readpath

import "slices"

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

// Means holds one mean per component, indexed by Component.
type Means [NumComponents]float64

// Sum adds the means of all components.
func (m Means) Sum() (sum float64) {
	for _, mean := range m {
		sum += mean
	}
	return sum
}

// Blocks adds the figures of the components that are Cached.
func (p PerComponent) Blocks() (sum int64) {
	for c, n := range p {
		if Component(c).Cached() {
			sum += n
		}
	}
	return sum
}

// Components returns the components to report, in the order in which a Get reads them. It leaves out
// Blob if its figure is 0: few databases have blob files.
func (p PerComponent) Components() []Component {
	all := Components()
	return slices.DeleteFunc(all[:], func(c Component) bool { return c == Blob && p[Blob] == 0 })
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

// Reads counts the reads of table files and blob files, per component.
type Reads struct {
	Count PerComponent // number of reads
	Bytes PerComponent // bytes requested, including block trailers
	Pages int64        // that all of them touch

	// Footers is the part of Count[TableOpen] that read the footer of a table or a blob file.
	// Engines do not pass footers through the block cache.
	Footers int64
	// Misplaced counts reads that fit no block or record: those that cross a region's border or
	// read part of a single block, which also count as Other, and reads of a blob file that are not
	// exactly one record. Any such read means that the region map is wrong and that no number of
	// the run can be trusted.
	Misplaced int64
}

// Record counts a read of n bytes at an offset.
func (r *Reads) Record(c Component, off int64, n int) {
	r.Count[c]++
	r.Bytes[c] += int64(n)
	r.Pages += Pages(off, n)
}

// Add returns the sum of both.
func (r Reads) Add(q Reads) Reads {
	return Reads{
		Count:     r.Count.Add(q.Count),
		Bytes:     r.Bytes.Add(q.Bytes),
		Pages:     r.Pages + q.Pages,
		Footers:   r.Footers + q.Footers,
		Misplaced: r.Misplaced + q.Misplaced,
	}
}

// Sub returns the reads made between q and r.
func (r Reads) Sub(q Reads) Reads {
	return Reads{
		Count:     r.Count.Sub(q.Count),
		Bytes:     r.Bytes.Sub(q.Bytes),
		Pages:     r.Pages - q.Pages,
		Footers:   r.Footers - q.Footers,
		Misplaced: r.Misplaced - q.Misplaced,
	}
}

// Accesses counts block accesses, hits and misses together, per component.
type Accesses struct {
	Count PerComponent
	// Probed counts the visits to tables that a filter did not rule out. Each accesses a
	// data block and, if the table has a second-level index, an index block. It also
	// accesses the next data block if the key lies after the last key of the first one.
	Probed int64
	// SplitExact means that Index, Data and Other were counted separately. If false, only
	// their sum is exact: Data was assumed to equal Probed, and Index to be the rest.
	SplitExact bool
	// FiltersOnly means that only Count[Filter] is known, because not only Gets access blocks.
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

// Rest returns the sum of index, data and other accesses, which the libraries do not count
// separately.
func (a Accesses) Rest() int64 {
	return a.Count[Index] + a.Count[Data] + a.Count[Other]
}

// SplitLike divides Rest in the same way as a sample of the same kind of Gets whose split
// is exact: with equal data blocks per probed table and an equal share for other.
func (a Accesses) SplitLike(sample Accesses) Accesses {
	return a.split(sample, Data, Index, a.Probed, sample.Probed)
}

// SplitIndexLike is like SplitLike for operations that read any number of data blocks per visit. It
// takes the index blocks per visit from the sample; data blocks are what remains.
func (a Accesses) SplitIndexLike(sample Accesses) Accesses {
	return a.split(sample, Index, Data, a.Count[TopIndex], sample.Count[TopIndex])
}

// split divides Rest. It has as many blocks of a component per visit as the sample; those of another remain.
func (a Accesses) split(sample Accesses, component, remaining Component, visits, sampled int64) Accesses {
	rest := a.Rest()
	if a.SplitExact || sampled == 0 || sample.Rest() == 0 {
		return a
	}
	a.Count[Other] = scale(rest, sample.Count[Other], sample.Rest())
	a.Count[component] = min(scale(visits, sample.Count[component], sampled), rest-a.Count[Other])
	a.Count[remaining] = rest - a.Count[component] - a.Count[Other]
	return a
}

// scale returns n * by / of, rounded.
func scale(n, by, of int64) int64 { return int64(float64(n)*float64(by)/float64(of) + 0.5) }
