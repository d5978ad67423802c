package watch

import (
	"slices"

	"getio/record"
	"getio/watch/goprogram"
	"getio/watch/probe"
)

// iterators are the libraries whose iterators and their seeks the kernel counts, each with the first of its two groups
// of seeks.
type iterators map[*library]int

// countIterators adds the iterators of each library and their seeks to what the kernel counts. Where it cannot, as in a
// program that never makes an iterator, they stay unknown.
func countIterators(p *goprogram.Program, libraries []*library, t *probe.Target) iterators {
	counted := iterators{}
	for _, l := range libraries {
		opens, ok := l.offsets(p, l.opens)
		if !ok || len(opens) == 0 {
			continue
		}
		seeks, ok := l.offsets(p, l.seeks...)
		if !ok || len(seeks) == 0 {
			continue
		}
		counted[l] = len(t.Seeks)
		t.Seeks = append(t.Seeks, opens, seeks)
	}
	return counted
}

// offsets returns where calls of methods of a library pass; not ok if calls of one cannot be counted.
func (l *library) offsets(p *goprogram.Program, methods ...string) (all []uint64, ok bool) {
	for _, f := range p.Functions(func(name string) bool {
		method, ok := l.method(name)
		return ok && slices.Contains(methods, method)
	}) {
		offset, err := p.Entry(f)
		if err != nil {
			return nil, false
		}
		all = append(all, offset)
	}
	return all, true
}

// describe returns nil unless all iterators of the library are of the database, which is one of the process's.
func (i iterators) describe(d *database, all []*database, p *probe.Probe) (*record.WatchedIterators, error) {
	l, known := d.library()
	first, counted := i[l]
	if !known || !counted || slices.ContainsFunc(all, func(o *database) bool { return o != d && slices.Contains(o.likely, l) }) {
		return nil, nil
	}
	opened, err := p.Seeks(first)
	if err != nil {
		return nil, err
	}
	seeks, err := p.Seeks(first + 1)
	return &record.WatchedIterators{Opened: int64(opened), Seeks: int64(seeks)}, err
}
