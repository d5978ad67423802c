package measure

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// pace makes the Gets of a phase due at even intervals, no matter how long earlier ones take: the
// time that a Get waits behind a slow one is part of its response time.
//
// The clock runs while Gets are handed out. Between batches, while keys are prepared, it stops
// at the time when the last Get was handed out; a worker that was still busy then rejoins only
// once the clock reaches the time its Get returned. So batches do not change the schedule.
//
// Only one worker at a time waits for its Get to be due, so waiting keeps at most one
// processor busy.
type pace struct {
	rate  int64 // Gets per second
	first int64 // number of the Get that is due at 0
	clock clock

	gate sync.Mutex    // held by the worker that waits
	made int64         // Gets handed out
	last time.Duration // when the last one was handed out
}

// clock measures time, and lets it pass.
type clock interface {
	now() time.Duration
	// sleep returns after d or a little later, or as soon as the context is done.
	sleep(ctx context.Context, d time.Duration)
	// yield lets other goroutines run.
	yield()
}

// wakeEarly is how long before a Get is due its worker wakes up; it yields for the rest. A sleep
// may last up to a millisecond too long, since the runtime waits in whole milliseconds.
const wakeEarly = 2 * time.Millisecond

// due returns when Get n of the phase is due, counted from 0.
func (p *pace) due(n int64) time.Duration {
	return time.Duration(n/p.rate)*time.Second + time.Duration(n%p.rate)*time.Second/time.Duration(p.rate)
}

// next waits until the next Get is due. ok is false if all Gets below number end have been
// handed out, or if the context is done.
func (p *pace) next(ctx context.Context, end int64) (g int64, due time.Duration, ok bool) {
	p.gate.Lock()
	defer p.gate.Unlock()
	g, due = p.first+p.made, p.due(p.made)
	if g >= end {
		return 0, 0, false
	}
	now, ok := p.wait(ctx, due)
	if !ok {
		return 0, 0, false
	}
	p.made++
	p.last = now
	return g, due, true
}

// dispenser hands out the Gets below number end, one at a time.
func (p *pace) dispenser(end int64) dispenser {
	return func(ctx context.Context) (first, last int64, due time.Duration) {
		g, due, ok := p.next(ctx, end)
		if !ok {
			return 0, 0, 0
		}
		return g, g + 1, due
	}
}

// wait waits until the given time and returns the current time. ok is false if the context is
// done first.
func (p *pace) wait(ctx context.Context, until time.Duration) (now time.Duration, ok bool) {
	for {
		now = p.clock.now()
		left := until - now
		switch {
		case ctx.Err() != nil:
			return now, false
		case left <= 0:
			return now, true
		case left > wakeEarly:
			p.clock.sleep(ctx, left-wakeEarly)
		default:
			p.clock.yield()
		}
	}
}

// reached returns the number of Gets handed out per second.
func (p *pace) reached() float64 {
	return float64(p.made) / (p.last + p.due(1)).Seconds()
}

// stopClock is a clock that is restarted for each batch.
type stopClock struct{ zero time.Time }

// start runs the clock from the given time on.
func (c *stopClock) start(from time.Duration) { c.zero = time.Now().Add(-from) }

func (c *stopClock) now() time.Duration { return time.Since(c.zero) }

func (c *stopClock) yield() { runtime.Gosched() }

func (c *stopClock) sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// dispenser hands out Gets to workers: the caller makes Gets first to last-1, which are due
// at the given time. None are left if first equals last.
type dispenser func(ctx context.Context) (first, last int64, due time.Duration)
