package measure

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"getio/engine"
	"getio/measure/keysource"
	"getio/workload/trace"
)

// Operation describes the operation that a run repeats. The zero Operation is a Get.
type Operation struct {
	Kind    engine.Operation
	Records int // records per operation; above 1 only for scans and multigets
}

// Name returns the operation's name in records: "" for Gets.
func (o Operation) Name() string {
	if o.Kind.IsGet() {
		return ""
	}
	return string(o.Kind)
}

// records returns the records per operation, at least 1.
func (o Operation) records() int64 { return int64(max(o.Records, 1)) }

// keys returns the number of workload keys per operation; a scan has one, its first.
func (o Operation) keys() int64 {
	if o.Kind == engine.OperationMultiget {
		return o.records()
	}
	return 1
}

// operate makes operation g, which was due at the given time, and checks its outcome.
func (r *run) operate(w *worker, g int64, due time.Duration) error {
	switch r.opts.Operation.Kind {
	case engine.OperationScan:
		return r.scan(w, g, due)
	case engine.OperationMultiget:
		return r.multiget(w, g, due)
	}
	return r.get(w, g, due)
}

func (r *run) get(w *worker, g int64, due time.Duration) error {
	key, want := r.gets.Key(g, w.key)
	called := r.recorder.now(w)
	value, found, err := r.db.Get(key, w.value)
	r.recorder.record(w, due, called)
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
		w.scan = keysource.NewScan(r.gets, r.opts.Operation.Records)
	}
	key, want := r.gets.Key(g, w.key)
	w.scan.Begin(g, key, want)
	var wrong error
	called := r.recorder.now(w)
	err := r.ordered.ScanFrom(key, r.opts.Operation.Records, func(key, value []byte) error {
		wrong = w.scan.Record(key, value)
		return wrong
	})
	r.recorder.record(w, due, called)
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
	b.draw(r.gets, g*r.opts.Operation.keys(), int(r.opts.Operation.keys()))
	var wrong error
	called := r.recorder.now(w)
	err := r.ordered.Multiget(b.sorted, func(i int, value []byte, found bool) error {
		k := b.order[i]
		w.count(1, found)
		wrong = r.gets.Check(b.first+int64(k), b.wants[k], b.sorted[i], found, value)
		return wrong
	})
	r.recorder.record(w, due, called)
	if wrong != nil {
		return wrong
	}
	if err != nil {
		return getError(b.sorted[0], err)
	}
	return nil
}

// batch holds keys that are looked up together.
type batch struct {
	first  int64 // number of its first Get
	keys   [][]byte
	wants  []keysource.Want
	order  []int // indexes of the keys, in key order
	sorted [][]byte
}

// draw takes the keys of n Gets.
func (b *batch) draw(gets keysource.Sequence, first int64, n int) {
	if len(b.keys) < n {
		b.keys, b.wants, b.order, b.sorted = make([][]byte, n), make([]keysource.Want, n), make([]int, n), make([][]byte, n)
	}
	b.first = first
	for i := range b.keys {
		b.keys[i], b.wants[i] = gets.Key(first+int64(i), b.keys[i])
		b.order[i] = i
	}
	slices.SortFunc(b.order, func(i, j int) int { return bytes.Compare(b.keys[i], b.keys[j]) })
	for i, k := range b.order {
		b.sorted[i] = b.keys[k]
	}
}

// FollowTrace sets the options that a trace determines: the kind and number of operations and,
// unless ownWarmup, the warm-up.
func (o *Options) FollowTrace(f *trace.File, ownWarmup bool) error {
	if err := f.RequireKeys(); err != nil {
		return err
	}
	if n := f.Sampled(); n > 1 {
		return fmt.Errorf("%s has the Gets of one in %d neighbourhoods of keys, for which no real cache has the right size: 'getio curve' computes what all Gets do", f.Path, n)
	}
	if !ownWarmup {
		o.Warmup = WarmupGets(f.Warmup)
	}
	warmup, known := o.Warmup.Number()
	if !known {
		return errors.New("--warmup of a trace must be a number of its operations: give one, or leave it to the trace")
	}
	var err error
	if o.Gets, err = f.Measured(warmup, o.Gets); err != nil {
		return err
	}
	o.Operation = Operation{Kind: engine.Operation(f.Kind), Records: f.Records}
	if o.Operation.Kind.IsGet() {
		o.Operation = Operation{}
	}
	return nil
}
