package measure

import (
	"context"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/numbers/steady"
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

// measured describes the Gets of the last phase, whose figures are reported.
type measured struct {
	windows []steady.Window
	warmup  int64  // Gets before them, apart from those of chosen keys
	ended   string // what ended them, if their number was not given
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

// measureAll makes the measured Gets, as many as were asked for or their windows require.
func (r *run) measureAll(ctx context.Context) (m measured, err error) {
	if !r.plan.ends.given() {
		return r.measureUntilKnown(ctx)
	}
	m.warmup = r.next
	m.windows, err = r.measure(ctx, Stage{Phase: PhaseMeasure}, r.measuredRecorder())
	return m, err
}

// measure makes the given number of measured Gets, as one phase in windows.
func (r *run) measure(ctx context.Context, stage Stage, rec *recorder) (windows []steady.Window, err error) {
	gets := r.plan.ends.gets
	count := min(measuredWindows, max(1, gets/windowFloor))
	r.begin(rec)
	stage.Total = gets
	for i := range count {
		stage.Done = i * gets / count
		w, err := r.window(ctx, (i+1)*gets/count-stage.Done, stage)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	return windows, nil
}
