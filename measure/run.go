package measure

import (
	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/system/cputime"
)

// run is the state of a measurement in progress.
type run struct {
	plan    *plan
	bounds  bounds
	db      engine.DB
	ordered engine.Ordered // db, for operations other than Gets
	cache   int64          // bytes of the measured cache
	seek    bool           // keys are looked up with an iterator
	gets    keysource.Sequence

	layers      *layers      // nil: device reads are not counted
	attribution *attribution // attributes reads of tables to Gets; may be nil
	shared      *shared      // nil: only Gets use the database

	next   int64  // number of the next Get
	chosen int64  // Gets of chosen keys, which come before those and have no number
	filled bool   // the warm-up filled the cache, so that its state is steady
	phase  *phase // under way, or the last one
	// ownBefore holds the attributed reads of the Gets of earlier phases.
	ownBefore readpath.Reads
}

// phase is Gets whose counts are taken together.
type phase struct {
	gets        int64
	began       engine.Counts // of the database
	spent       cputime.Elapsed
	recorder    *recorder // of single Gets
	workers     []*worker
	windowReads []readpath.Reads
}

// order requires an ordered database for operations other than Gets.
func (r *run) order(s engine.Store) (err error) {
	if !r.plan.Kind.IsGet() {
		r.ordered, err = engine.AsOrdered(r.db, s.Info())
	}
	return err
}

// begin begins a phase.
func (r *run) begin(rec *recorder) {
	if r.phase != nil {
		r.ownBefore = r.allOwn()
	}
	r.phase = &phase{began: r.db.Counts(), recorder: rec, workers: rec.workers(r.plan.Workers)}
	r.layers.begin()
}

// counts returns the counts of the phase so far. No Get may be in progress.
func (r *run) counts() engine.Counts {
	c := r.db.Counts().Sub(r.phase.began)
	if r.shared != nil {
		c.Reads = r.own()
	}
	return c
}

// made returns the number of all Gets so far.
func (r *run) made() int64 { return r.chosen + r.next }

// measuredRecorder returns the recorder for the measured Gets, from the next Get on.
func (r *run) measuredRecorder() *recorder {
	rec := &recorder{attribution: r.attribution, latency: r.plan.Latency || r.plan.Rate > 0}
	if rec.attribution != nil {
		rec.unattributed, _ = rec.attribution.unattributed()
	}
	if r.plan.Rate > 0 {
		rec.pace = &pace{rate: r.plan.Rate, first: r.next, clock: &rec.clock}
	}
	return rec
}

// unmeasuredRecorder returns the recorder for other Gets. If the database is shared, it still
// attributes their reads.
func (r *run) unmeasuredRecorder() *recorder {
	if r.shared == nil {
		return &recorder{}
	}
	return &recorder{attribution: r.attribution}
}

// own returns the reads attributed to the Gets of the phase.
func (r *run) own() (reads readpath.Reads) {
	for _, w := range r.phase.workers {
		reads = reads.Add(w.tally.Reads)
	}
	return reads
}

// allOwn returns the reads attributed to all Gets of the run so far.
func (r *run) allOwn() readpath.Reads { return r.own().Add(r.ownBefore) }
