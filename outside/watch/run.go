package watch

import (
	"context"
	"errors"
	"time"

	"getio/numbers/steady"
	"getio/outside/probe"
	"getio/record"
)

// Run says how long a process is watched, and who looks meanwhile.
type Run struct {
	// For is how long the process is watched; 0 until the context or the process ends.
	For time.Duration
	// Duty is the share of the time in which Gets and reads are counted, in windows; 0 and 1 are all
	// of the time. Between the windows the process runs as fast as unwatched.
	Duty float64
	// Counting is called when the counting begins; may be nil.
	Counting func()
	// Show is called after every window with what was counted so far; may be nil.
	Show func(*record.Watch)
}

const (
	// pollEvery keeps what the kernel delivers well within its buffer.
	pollEvery = 10 * time.Millisecond
	// tablesEvery is how often new tables are looked for.
	tablesEvery = 100 * time.Millisecond
	window      = time.Second
	// finishing is how long Gets may take to end after counting stopped, so that all their reads
	// are seen.
	finishing = 50 * time.Millisecond
)

// Run counts until the time is over, the context is cancelled or the process ends, and returns what
// was counted until then; an interruption is no error.
func (w *Watch) Run(ctx context.Context, r Run) (*record.Watch, error) {
	if r.intermittent() && w.recorder != nil {
		return nil, errors.New("a trace needs all Gets, and --duty leaves some out: omit it")
	}
	if r.intermittent() {
		w.duty = r.Duty
	}
	if r.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.For)
		defer stop()
	}
	w.length, w.windowEnds = window, window
	for {
		if err := w.countOnce(ctx, r); err != nil {
			return nil, err
		}
		if ctx.Err() != nil || w.process.ended() {
			break
		}
		if w.counted() >= w.windowEnds {
			if err := w.endWindow(r.Show); err != nil {
				return nil, err
			}
		}
		w.pause(ctx, time.Duration(float64(window)*(1/r.Duty-1)))
	}
	if w.counted() > w.windowEnds-w.length {
		for _, d := range w.databases {
			d.endWindow()
		}
	}
	return w.conclude()
}

// conclude returns what was counted, and ends the trace.
func (w *Watch) conclude() (*record.Watch, error) {
	r, err := w.describe()
	if err != nil || w.recorder == nil {
		return r, err
	}
	counts, err := w.probe.Counts()
	if err != nil {
		return nil, err
	}
	w.recorder.resolve(func(g probe.Get) *database { return w.ownerOf(probe.Count{Get: g}, counts) })
	lost, err := w.probe.Losses()
	if err != nil {
		return nil, err
	}
	r.Trace, err = w.recorder.finish(int64(lost.Keys))
	w.recorder = nil
	return r, err
}

// pause waits between two windows.
func (w *Watch) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// intermittent: there are times between windows in which nothing is counted.
func (r *Run) intermittent() bool { return r.Duty > 0 && r.Duty < 1 }

// countOnce attaches, counts and detaches: for one window if counting is intermittent, else until
// it is over.
func (w *Watch) countOnce(ctx context.Context, r Run) error {
	if err := w.probe.Attach(); err != nil {
		return err
	}
	w.began, w.ended = now(), 0
	if err := w.probe.Count(true); err != nil {
		return err
	}
	if r.Counting != nil {
		r.Counting()
	}
	if err := w.follow(ctx, r); err != nil {
		return err
	}
	return w.stop()
}

// counted is for how long Gets and reads have been counted.
func (w *Watch) counted() time.Duration {
	if w.ended > 0 {
		return w.earlier + w.ended - w.began
	}
	return w.earlier + now() - w.began
}

// follow counts until it is over, or until a window has ended if counting is intermittent.
func (w *Watch) follow(ctx context.Context, r Run) error {
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	for tables := now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		if w.process.ended() {
			return nil
		}
		if err := w.poll(); err != nil {
			return err
		}
		if now() >= tables {
			w.findTables()
			if err := w.takeAccesses(); err != nil {
				return err
			}
			tables = now() + tablesEvery
		}
		if r.intermittent() && now() >= w.began+window {
			return nil
		}
		if w.counted() < w.windowEnds {
			continue
		}
		if err := w.endWindow(r.Show); err != nil {
			return err
		}
	}
}

// endWindow ends the window under way of each database. When there are too many, windows become
// twice as long.
func (w *Watch) endWindow(show func(*record.Watch)) error {
	if err := w.count(); err != nil {
		return err
	}
	halve := false
	for _, d := range w.databases {
		d.endWindow()
		halve = halve || len(d.windows) >= mostWindows
	}
	if halve {
		w.length *= 2
		for _, d := range w.databases {
			d.windows = steady.Halve(d.windows)
		}
	}
	w.windowEnds += w.length
	if show == nil {
		return nil
	}
	r, err := w.describe()
	if err != nil {
		return err
	}
	show(r)
	return nil
}

// stop stops counting, lets Gets under way end, and detaches.
func (w *Watch) stop() error {
	if err := w.probe.Count(false); err != nil {
		return err
	}
	w.ended = now()
	for now() < w.ended+finishing && !w.process.ended() {
		if err := w.poll(); err != nil {
			return err
		}
		time.Sleep(pollEvery)
	}
	if err := w.probe.Detach(); err != nil {
		return err
	}
	if err := w.drain(); err != nil {
		return err
	}
	for _, r := range w.reading {
		r.finish()
	}
	clear(w.reading)
	w.earlier += w.ended - w.began
	w.began = w.ended
	return w.count()
}
