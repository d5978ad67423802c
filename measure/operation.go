package measure

import (
	"time"

	"getio/measure/keysource"
	"getio/workload"
)

// operate makes operation g, which was due at the given time, and checks its outcome.
func (r *run) operate(w *worker, g int64, due time.Duration) error {
	switch r.plan.Kind {
	case workload.Scan:
		return r.scan(w, g, due)
	case workload.Multiget:
		return r.multiget(w, g, due)
	}
	return r.get(w, g, due)
}

func (r *run) get(w *worker, g int64, due time.Duration) error {
	key, want := r.gets.Key(g, w.key)
	called := r.phase.recorder.now(w)
	value, found, err := r.db.Get(key, w.value)
	r.phase.recorder.record(w, due, called)
	if err != nil {
		return getError(key, err)
	}
	w.key, w.value = key, value
	w.count(1, found)
	return r.gets.Check(g, want, key, found, value)
}

// scan reads records in order and checks each.
func (r *run) scan(w *worker, g int64, due time.Duration) error {
	if w.scan == nil {
		w.scan = keysource.NewScan(r.gets, r.plan.Records)
	}
	key, want := r.gets.Key(g, w.key)
	w.scan.Begin(g, key, want)
	var wrong error
	called := r.phase.recorder.now(w)
	err := r.ordered.ScanFrom(key, r.plan.Records, func(key, value []byte) error {
		wrong = w.scan.Record(key, value)
		return wrong
	})
	r.phase.recorder.record(w, due, called)
	if wrong != nil {
		return wrong
	}
	if err != nil {
		return getError(key, err)
	}
	w.key = key
	records, found, err := w.scan.End()
	w.count(records, found)
	return err
}

// multiget looks up the keys of several Gets together, in key order.
func (r *run) multiget(w *worker, g int64, due time.Duration) error {
	b := &w.batch
	b.draw(r.gets, g*r.plan.EachKeys(), int(r.plan.EachKeys()))
	var wrong error
	called := r.phase.recorder.now(w)
	err := r.ordered.Multiget(b.sorted, func(i int, value []byte, found bool) error {
		k := b.order[i]
		w.count(1, found)
		wrong = r.gets.Check(b.first+int64(k), b.wants[k], b.sorted[i], found, value)
		return wrong
	})
	r.phase.recorder.record(w, due, called)
	if wrong != nil {
		return wrong
	}
	if err != nil {
		return getError(b.sorted[0], err)
	}
	return nil
}
