package device

import (
	"sync"
	"time"
)

// lateness is how old a read's turn may be and still be taken: whoever sleeps wakes
// up late, and must not make the device slower than it is modelled.
const lateness = 10 * time.Millisecond

// queue is the modelled device: turns lie evenly apart, and each read takes the
// next one.
type queue struct {
	interval time.Duration // between turns; 0: there is always one
	latency  time.Duration

	mu   sync.Mutex
	next time.Time // turn
}

func newQueue(m Model) *queue {
	q := &queue{latency: m.Latency}
	if m.IOPS > 0 {
		q.interval = time.Second / time.Duration(m.IOPS)
	}
	return q
}

// wait returns when the modelled device has made the read.
func (q *queue) wait() {
	now := time.Now()
	done := q.turn(now).Add(q.latency)
	if wait := done.Sub(now); wait > 0 {
		time.Sleep(wait)
	}
}

// turn is when a read that comes now may begin.
func (q *queue) turn(now time.Time) time.Time {
	if q.interval == 0 {
		return now
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	turn := q.next
	if oldest := now.Add(-lateness); turn.Before(oldest) {
		turn = oldest
	}
	q.next = turn.Add(q.interval)
	if turn.Before(now) {
		return now
	}
	return turn
}
