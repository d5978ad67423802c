package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"getio/numbers/steady"
	"getio/record"
	"getio/system/capability"
	"getio/system/machine"
	"getio/watch/probe"
)

// Run says how long a process is watched, and who looks meanwhile.
type Run struct {
	// For is how long the process is watched; 0 until the context or the process ends.
	For time.Duration
	// Duty is the share of the time in which Gets and reads are counted, in windows; 0 and 1 are all
	// of the time. Between the windows the process runs as fast as unwatched.
	Duty float64
	// Unprivileged gives up all capabilities of this process that nothing needs once the programs in the kernel are attached.
	Unprivileged bool
	// Counting is called when the counting begins; may be nil.
	Counting func()
	// Show is called about once a second with what was counted so far; may be nil.
	Show func(*record.Watch)
}

const (
	// pollEvery keeps what the kernel delivers well within its buffer. Waking up is most of
	// what it costs to watch a slow program.
	pollEvery = 25 * time.Millisecond
	// tablesEvery is how often new tables are looked for.
	tablesEvery = 100 * time.Millisecond
	window      = time.Second
	showEvery   = time.Second
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
	w.intermittent = r.intermittent()
	if r.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.For)
		defer stop()
	}
	w.length, w.windowEnds = window, window
	w.started = now()
	w.began, w.ended = w.started, w.started
	for {
		if err := w.countOnce(ctx, r); err != nil {
			return nil, err
		}
		if r.intermittent() {
			w.pause(ctx, r.Duty)
		}
		if w.over(ctx) {
			break
		}
	}
	if w.counted() == 0 {
		return nil, fmt.Errorf("process %d ended before anything was counted, or began to run another program: start it again, and watch that", w.process.pid)
	}
	if w.counted() > w.windowEnds-w.length {
		w.endWindow()
	}
	return w.conclude()
}

// over reports whether there is nothing more to count.
func (w *Watch) over(ctx context.Context) bool { return ctx.Err() != nil || w.left() }

// left reports whether the process has ended, or runs another program.
func (w *Watch) left() bool {
	if replaced, err := w.probe.Replaced(); err == nil {
		w.replaced = replaced
	}
	return w.replaced || w.process.ended()
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
	w.recorder.resolve(func(g probe.Get) *database { return w.ownerOf(g, counts) })
	lost, err := w.probe.Losses()
	if err != nil {
		return nil, err
	}
	var gets int64
	for _, t := range w.recorder.database.gets {
		gets += t.gets
	}
	r.Trace, err = w.recorder.finish(gets, int64(lost.Keys))
	w.recorder = nil
	return r, err
}

// pause waits until Gets were counted for no more than a share of the time since the start.
func (w *Watch) pause(ctx context.Context, duty float64) {
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	for !w.over(ctx) && w.counted().Seconds() > duty*(now()-w.started).Seconds() {
		<-ticks.C
	}
}

// intermittent: there are times between windows in which nothing is counted.
func (r *Run) intermittent() bool { return r.Duty > 0 && r.Duty < 1 }

// countOnce attaches, counts and detaches: for one window if counting is intermittent, else until
// it is over.
func (w *Watch) countOnce(ctx context.Context, r Run) error {
	if err := w.probe.Attach(); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			return nil // the process is ending: its binary cannot be found any more
		}
		return err
	}
	if r.Unprivileged {
		if err := w.giveUpCapabilities(r.intermittent()); err != nil {
			return err
		}
	}
	w.began, w.ended = now(), 0
	w.device.begin(w.process)
	if err := w.probe.Count(true); err != nil {
		return err
	}
	if r.Counting != nil {
		r.Counting()
	}
	if err := w.follow(ctx, r); err != nil {
		return err
	}
	if err := w.stop(); err != nil || !r.intermittent() {
		return err
	}
	if w.counted() >= w.windowEnds {
		w.endWindow()
	}
	return w.show(r.Show)
}

// follow counts until it is over, or until a window has ended if counting is intermittent.
func (w *Watch) follow(ctx context.Context, r Run) error {
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	tables, shown := now(), now()+showEvery
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		if w.left() {
			return nil
		}
		if _, err := w.poll(); err != nil {
			return err
		}
		if now() >= tables {
			for _, d := range w.databases {
				d.tables.find()
			}
			if err := w.waiting.take(w.probe); err != nil {
				return err
			}
			tables = now() + tablesEvery
		}
		if r.intermittent() {
			if now() >= w.began+window {
				return nil
			}
			continue
		}
		if w.counted() >= w.windowEnds {
			if err := w.count(); err != nil {
				return err
			}
			w.endWindow()
		}
		if now() >= shown {
			if err := w.count(); err != nil {
				return err
			}
			if err := w.show(r.Show); err != nil {
				return err
			}
			shown += showEvery
		}
	}
}

func (w *Watch) show(to func(*record.Watch)) error {
	if to == nil {
		return nil
	}
	r, err := w.describe()
	if err == nil {
		to(r)
	}
	return err
}

// endWindow ends the window under way of each database. When there are too many, windows become
// twice as long. The Gets must have been counted just now.
func (w *Watch) endWindow() {
	for _, d := range w.databases {
		d.endWindow()
	}
	w.windows++
	if w.windows == mostWindows {
		w.windows /= 2
		w.length *= 2
		for _, d := range w.databases {
			d.windows = steady.Halve(d.windows)
		}
	}
	w.windowEnds += w.length
}

// stop stops counting, lets Gets under way end, and detaches.
func (w *Watch) stop() error {
	if err := w.probe.Count(false); err != nil {
		return err
	}
	w.ended = now()
	w.device.end(w.process)
	for now() < w.ended+finishing && !w.process.ended() {
		if _, err := w.poll(); err != nil {
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
	if w.left() && w.replaced {
		w.device.unknown = true // it goes on with what the other program reads
	}
	for _, r := range w.reading {
		r.finish()
	}
	clear(w.reading)
	w.earlier += w.ended - w.began
	w.began = w.ended
	return w.count()
}

// giveUpCapabilities gives up the capabilities that counting does not need. It needs those to read the process's state and
// files, those to attach programs again if counting is intermittent, and those to name a trace, or to copy the database for
// advice, at the end.
func (w *Watch) giveUpCapabilities(attachAgain bool) error {
	kept := append(capability.ToChange(w.changed...), capability.SysPtrace, capability.DACReadSearch, capability.BPF, capability.PerfMon)
	if since66, known := machine.KernelSince(6, 6); attachAgain && known && !since66 { // before, the kernel asks for it to attach programs to functions
		kept = append(kept, capability.SysAdmin)
	}
	if err := capability.Keep(kept...); err != nil || attachAgain {
		return err
	}
	// Linux before 5.19 asks for CAP_BPF to read what its programs have counted.
	return capability.GiveUp(func() error {
		_, err := w.probe.Replaced()
		return err
	}, capability.BPF, capability.PerfMon)
}
