package measure

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// MaxRate is the highest rate, in Gets per second: clocks cannot tell apart what is due
// at a higher one.
const MaxRate = 10_000_000

// pace has the Gets of a phase due at even distances, whoever makes them and however
// long those before them took: what a slow Get holds up counts as waiting for it.
//
// Its clock runs while Gets are handed out. Between batches, when keys are prepared, it
// stands still at the moment at which the last Get was handed out, and a worker that
// was still at work then stays away as long as that Get took. So batches leave no trace
// in the schedule.
//
// One worker at a time waits for its Get to be due, so that waiting keeps one processor
// busy at most; the others wait for their turn.
type pace struct {
	rate  int64 // Gets per second
	first int64 // number of the Get that is due at 0
	clock clock

	turn sync.Mutex
	made int64         // Gets handed out
	last time.Duration // when the last one was
}

// clock is the time since a moment, and ways to let it pass.
type clock interface {
	now() time.Duration
	// sleep returns after d or somewhat later, or as soon as the context is done.
	sleep(ctx context.Context, d time.Duration)
	// yield returns at once, but lets others work that can.
	yield()
}

// wakeEarly is how long before a Get is due its worker wakes up and yields until then.
// Sleeps last up to a millisecond longer than they are asked to: the runtime waits in
// whole ones.
const wakeEarly = 2 * time.Millisecond

// due is when the Get is due that n others come before.
func (p *pace) due(n int64) time.Duration {
	return time.Duration(n/p.rate)*time.Second + time.Duration(n%p.rate)*time.Second/time.Duration(p.rate)
}

// next waits until the next Get is due, unless all up to, not including, Get number end
// have been handed out or the context is done.
func (p *pace) next(ctx context.Context, end int64) (g int64, due time.Duration, ok bool) {
	p.turn.Lock()
	defer p.turn.Unlock()
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

// turns hand out the Gets up to, not including, number end, one at a time.
func (p *pace) turns(end int64) turns {
	return func(ctx context.Context) (first, last int64, due time.Duration) {
		g, due, ok := p.next(ctx, end)
		if !ok {
			return 0, 0, 0
		}
		return g, g + 1, due
	}
}

// wait returns at that time, or at once if it is past, and tells the time by then. It
// tells false if the context is done before.
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

// reached is how many Gets were handed out a second.
func (p *pace) reached() float64 {
	return float64(p.made) / (p.last + p.due(1)).Seconds()
}

// stopClock is a clock that can stand still. It stands until it is started.
type stopClock struct{ zero time.Time }

// start has the clock go on from a time.
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
