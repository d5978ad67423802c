package device

import (
	"sync"
	"time"
)

// lateness is how far in the past a turn may be and still be taken. Since sleeps end late, the
// device would otherwise be slower than modelled.
const lateness = 10 * time.Millisecond

// queue is the modelled device. Turns are evenly spaced, and each read takes the next one.
type queue struct {
	interval time.Duration // between turns; 0 means that reads do not wait for one
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

// wait blocks until the modelled device has completed the read.
func (q *queue) wait() {
	now := time.Now()
	done := q.turn(now).Add(q.latency)
	if wait := done.Sub(now); wait > 0 {
		time.Sleep(wait)
	}
}

// turn returns the time at which a read that arrives now may begin.
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
