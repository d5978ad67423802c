package measure

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"getio/measure/keysource"
	"getio/numbers/steady"
	"getio/system/cputime"
	"getio/workload"
	"getio/workload/trace"
)

// chunkGets is how many Gets, or records of other operations, a worker takes at a time.
const chunkGets = 256

// window makes n Gets and returns the number of reads they made. No Get is in progress when it
// starts or ends, so the count is exact.
func (r *run) window(ctx context.Context, n int64, stage Stage) (steady.Window, error) {
	began := r.counts().Reads
	before := began.Count.Sum()
	for done := int64(0); done < n; {
		keys := r.plan.EachKeys()
		batch := min(n-done, r.phase.recorder.maxBatch(r.plan.EachRecords()))
		if err := r.gets.Prepare(ctx, r.next*keys, batch*keys); err != nil {
			return steady.Window{}, err
		}
		if err := r.writeTrace(batch); err != nil {
			return steady.Window{}, err
		}
		if err := r.batch(ctx, batch); err != nil {
			return steady.Window{}, err
		}
		done += batch
		if r.plan.Progress != nil {
			now := stage
			now.Done += done
			now.Operation, now.CacheBytes, now.Counts, now.Took = r.plan.Operation, r.cache, r.counts(), r.phase.spent.Wall
			if r.shared != nil {
				now.Activity = new(r.shared.db.Activity())
			}
			now.IOsPerGet = float64(now.Counts.Reads.Count.Sum()-before) / float64(done)
			r.plan.Progress(now)
		}
	}
	reads := r.counts().Reads.Sub(began)
	r.phase.gets += n
	r.phase.windowReads = append(r.phase.windowReads, reads)
	w := steady.Window{Gets: n, Reads: float64(reads.Count.Sum())}
	if r.shared != nil {
		r.shared.window(stage.Phase, w)
	}
	return w, nil
}

// batch makes the next n Gets, which must be prepared, and adds their time to r.phase.spent.
func (r *run) batch(ctx context.Context, n int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := r.dispenser(r.next + n)
	stop := r.layers.start()
	spent := cputime.StartTimer()
	r.phase.recorder.start()
	var workers sync.WaitGroup
	for _, w := range r.phase.workers {
		workers.Go(func() {
			if err := r.work(ctx, w, next); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	r.phase.spent.Add(spent())
	stop()
	r.next += n
	return context.Cause(ctx)
}

// dispenser hands out the Gets below number end.
func (r *run) dispenser(end int64) dispenser {
	if r.phase.recorder.pace != nil {
		return r.phase.recorder.pace.dispenser(end)
	}
	chunk := max(chunkGets/r.plan.EachRecords(), 1)
	var taken atomic.Int64
	taken.Store(r.next)
	return func(context.Context) (first, last int64, due time.Duration) {
		first = taken.Add(chunk) - chunk
		return min(first, end), min(first+chunk, end), 0
	}
}

// work makes Gets until none are left. If the library panics because of a damaged block, work
// returns an error.
func (r *run) work(ctx context.Context, w *worker, next dispenser) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library panicked during a Get (%v), so no figure of this run is valid: if the database is damaged, restore it from a copy", p)
		}
	}()
	defer r.phase.recorder.attach(ctx, w)()
	for {
		first, last, due := next(ctx)
		if first == last || ctx.Err() != nil {
			return nil
		}
		for g := first; g < last; g++ {
			if err := r.operate(w, g, due); err != nil {
				return err
			}
		}
	}
}

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

// writeTrace appends the next n operations, which must be prepared, to the trace.
func (r *run) writeTrace(n int64) error {
	if r.plan.Record == nil {
		return nil
	}
	o := r.plan.Operation
	op := trace.Operation{Kind: cmp.Or(o.Kind, workload.Get), Keys: make([]trace.Key, o.EachKeys())}
	if o.Kind == workload.Scan {
		op.Length = o.Records
	}
	for g := r.next; g < r.next+n; g++ {
		for i := range op.Keys {
			key, want := r.gets.Key(g*o.EachKeys()+int64(i), op.Keys[i].Bytes)
			op.Keys[i] = trace.Key{Bytes: key, Presence: presence(want)}
		}
		if err := r.plan.Record.Write(&op); err != nil {
			return err
		}
	}
	return nil
}

// presence returns the presence of a key to record in a trace.
func presence(want keysource.Want) trace.Presence {
	switch {
	case want.Unknown:
		return trace.Open
	case want.Present:
		return trace.Present
	}
	return trace.Absent
}
