// Package device controls how reads of table files reach the device: through the page
// cache, after dropping it, or past it with O_DIRECT, and optionally delayed to model a
// slower device. It also reads the kernel's own counts of device reads.
package device

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// PageCache is how a run treats the page cache, named as in records.
type PageCache string

const (
	Keep   PageCache = "cached"   // use it as it is
	Cold   PageCache = "dropped"  // drop the tables' pages first, then use it
	Bypass PageCache = "bypassed" // O_DIRECT: every read reaches the device
)

// ParsePageCache parses keep, cold or bypass.
func ParsePageCache(s string) (PageCache, error) {
	p, ok := map[string]PageCache{"keep": Keep, "cold": Cold, "bypass": Bypass}[s]
	if !ok {
		return "", errors.New("want keep (as it is), cold (the tables' pages are dropped first) or bypass (O_DIRECT)")
	}
	return p, nil
}

// Model is a device slower than the real one. Each read of a table is one read of the modelled
// device, even if the page cache serves it.
type Model struct {
	IOPS    int64         // reads per second, in the order in which they arrive; 0 means unbounded
	Latency time.Duration // added to each read; any number may be in flight at a time
}

// Limits of a model, beyond which waits may be inexact.
const (
	MaxIOPS    = 1_000_000
	MaxLatency = 10 * time.Second
)

// Count holds the number of device reads, and their bytes.
type Count struct{ Reads, Bytes int64 }

// Sub returns what was counted between q and c.
func (c Count) Sub(q Count) Count { return Count{c.Reads - q.Reads, c.Bytes - q.Bytes} }

// Add returns the sum of both counts.
func (c Count) Add(q Count) Count { return Count{c.Reads + q.Reads, c.Bytes + q.Bytes} }

// Layer controls how reads reach the device. A nil Layer uses the page cache as it is, and the
// real device. It is safe for concurrent use.
type Layer struct {
	pages   PageCache
	model   Model
	queue   *queue // nil without a model
	slow    atomic.Bool
	buffers buffers
	// reads that reached the device, and their bytes; not counted with Keep
	reads, bytes atomic.Int64
}

// New returns a Layer. Its model does not delay reads until Slow is called.
func New(pages PageCache, model Model) *Layer {
	l := &Layer{pages: pages, model: model}
	if model != (Model{}) {
		l.queue = newQueue(model)
	}
	return l
}

// PageCache returns how the page cache is treated.
func (l *Layer) PageCache() PageCache {
	if l == nil {
		return Keep
	}
	return l.pages
}

// Model returns the modelled device, or the zero Model.
func (l *Layer) Model() Model {
	if l == nil {
		return Model{}
	}
	return l.model
}

// Slow sets whether reads wait as on the modelled device. A warm-up need not wait.
func (l *Layer) Slow(on bool) {
	if l != nil {
		l.slow.Store(on)
	}
}

// Count returns the reads that have reached the device: with Bypass, the reads made, in complete
// blocks; with Cold, those counted by the kernel for threads reading tables; with Keep, zero.
func (l *Layer) Count() Count {
	if l == nil {
		return Count{}
	}
	return Count{l.reads.Load(), l.bytes.Load()}
}

func (l *Layer) count(reads, bytes int64) {
	l.reads.Add(reads)
	l.bytes.Add(bytes)
}

// File is an open table. With Bypass, reads use its descriptor, which must stay open meanwhile.
type File interface {
	io.ReaderAt
	Fd() uintptr
}

// Reader returns a reader of the table. Errors refer to the table by name.
func (l *Layer) Reader(f File, name string) (io.ReaderAt, error) {
	if l == nil {
		return f, nil
	}
	var r io.ReaderAt = f
	switch l.pages {
	case Bypass:
		fd := int(f.Fd())
		if err := setDirect(fd); err != nil {
			return nil, noBypass(name, err.Error())
		}
		r = &direct{fd: fd, layer: l}
	case Cold:
		r = &observed{file: f, layer: l}
	}
	if l.queue != nil {
		r = &slowed{file: r, layer: l}
	}
	return r, nil
}

// noBypass is the error for a file system on which reads cannot bypass the page cache.
func noBypass(name, why string) error {
	return fmt.Errorf("%s cannot be read past the page cache (%s): copy the database to a file system on a device that supports O_DIRECT, such as ext4 or XFS, or leave --page-cache bypass out", name, why)
}

// slowed makes reads wait for the modelled device.
type slowed struct {
	file  io.ReaderAt
	layer *Layer
}

func (s *slowed) ReadAt(p []byte, off int64) (int, error) {
	if s.layer.slow.Load() {
		s.layer.queue.wait()
	}
	return s.file.ReadAt(p, off)
}

// observed reads through the page cache. The kernel's count for the thread shows which reads the
// page cache did not serve. Waiting for a page that another thread is reading does not count.
type observed struct {
	file  io.ReaderAt
	layer *Layer
}

func (o *observed) ReadAt(p []byte, off int64) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadBytes()
	n, err := o.file.ReadAt(p, off)
	if bytes := threadBytes() - before; bytes > 0 {
		o.layer.count(1, bytes)
	}
	return n, err
}

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
