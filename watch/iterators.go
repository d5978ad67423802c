package watch

import (
	"slices"

	"getio/record"
	"getio/watch/probe"
)

// seeksOf has the kernel count the iterators of each library and their seeks. Where it cannot, as in a
// program that never makes an iterator, they stay unknown.
func (w *Watch) seeksOf(t *probe.Target) {
	for _, l := range w.libraries() {
		opens, ok := w.offsets(l, l.opens)
		if !ok || len(opens) == 0 {
			continue
		}
		seeks, ok := w.offsets(l, l.seeks...)
		if !ok || len(seeks) == 0 {
			continue
		}
		w.iterators[l] = len(t.Seeks)
		t.Seeks = append(t.Seeks, opens, seeks)
	}
}

// offsets returns where calls of methods of a library pass; not ok if calls of one cannot be counted.
func (w *Watch) offsets(l *library, methods ...string) (all []uint64, ok bool) {
	for _, f := range w.program.Functions(func(name string) bool {
		method, ok := l.method(name)
		return ok && slices.Contains(methods, method)
	}) {
		offset, err := w.program.Entry(f)
		if err != nil {
			return nil, false
		}
		all = append(all, offset)
	}
	return all, true
}

// describeIterators returns nil unless all iterators of the library are of the database.
func (w *Watch) describeIterators(d *database) (*record.WatchedIterators, error) {
	l, known := d.library()
	first, counted := w.iterators[l]
	if !known || !counted || slices.ContainsFunc(w.databases, func(o *database) bool { return o != d && slices.Contains(o.likely, l) }) {
		return nil, nil
	}
	opened, err := w.probe.Seeks(first)
	if err != nil {
		return nil, err
	}
	seeks, err := w.probe.Seeks(first + 1)
	return &record.WatchedIterators{Opened: int64(opened), Seeks: int64(seeks)}, err
}
