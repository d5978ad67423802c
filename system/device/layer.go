// Package device controls how reads of table files reach the device: through the page
// cache, after dropping it, or past it with O_DIRECT, and optionally delayed to model a
// slower device. It also reads the kernel's own counts of device reads.
package device

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// PageCache is what is done about the page cache.
type PageCache string

// What can be done about the page cache. Records have these words.
const (
	Keep   PageCache = "cached"   // it may serve reads from memory, with what it holds
	Cold   PageCache = "dropped"  // the tables' pages are dropped first; then as Keep
	Bypass PageCache = "bypassed" // O_DIRECT: every read reaches the device
)

// ParsePageCache reads keep, cold or bypass.
func ParsePageCache(s string) (PageCache, error) {
	switch s {
	case "keep":
		return Keep, nil
	case "cold":
		return Cold, nil
	case "bypass":
		return Bypass, nil
	}
	return "", fmt.Errorf("page cache %q is not known: say keep (as it is), cold (the tables' pages are dropped first) or bypass (O_DIRECT)", s)
}

// Model is a device slower than the real one. Each read of a table is one read of
// it, also where the page cache served the read.
type Model struct {
	IOPS    int64         // reads per second, in the order in which they come; 0: no bound
	Latency time.Duration // added to each read; any number may be in flight at a time
}

// Bounds of a model. Waits are not known to be exact beyond them.
const (
	MaxIOPS    = 1_000_000
	MaxLatency = 10 * time.Second
)

// Count is a number of device reads, and their bytes.
type Count struct{ Reads, Bytes int64 }

// Sub returns what was counted between q and c.
func (c Count) Sub(q Count) Count { return Count{c.Reads - q.Reads, c.Bytes - q.Bytes} }

// Add returns both counts' sum.
func (c Count) Add(q Count) Count { return Count{c.Reads + q.Reads, c.Bytes + q.Bytes} }

// Layer is the way of reads to the device. A nil Layer is the page cache as it is
// and the real device. It is safe for concurrent use.
type Layer struct {
	pages   PageCache
	model   Model
	queue   *queue // nil without a model
	slow    atomic.Bool
	buffers buffers
	// reads that reached the device, and their bytes; not counted for Keep.
	reads, bytes atomic.Int64
}

// New returns a way to the device. Its model, if it has any, is at rest until
// Slow.
func New(pages PageCache, model Model) *Layer {
	l := &Layer{pages: pages, model: model}
	if model != (Model{}) {
		l.queue = newQueue(model)
	}
	return l
}

// PageCache says what is done about the page cache.
func (l *Layer) PageCache() PageCache {
	if l == nil {
		return Keep
	}
	return l.pages
}

// Model is the modelled device; the zero Model if there is none.
func (l *Layer) Model() Model {
	if l == nil {
		return Model{}
	}
	return l.model
}

// Slow says whether reads wait as the modelled device has them. A warm-up need not.
func (l *Layer) Slow(on bool) {
	if l != nil {
		l.slow.Store(on)
	}
}

// Count is what reached the device so far: with Bypass, what was asked of it, in
// whole blocks; with Cold, what the kernel accounted to the threads that read
// tables while they did. Always zero with Keep.
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

// File is an open table. Its descriptor is used with Bypass only, and must stay
// open as long as it is read.
type File interface {
	io.ReaderAt
	Fd() uintptr
}

// Reader returns how the table is to be read. name is for errors.
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

// noBypass is the error of a file system that does not let reads pass the page cache.
func noBypass(name, why string) error {
	return fmt.Errorf("%s cannot be read past the page cache (%s): copy the database to a file system on a device that supports O_DIRECT, such as ext4 or XFS, or leave --page-cache bypass out", name, why)
}

// slowed lets reads wait as the modelled device has them.
type slowed struct {
	file  io.ReaderAt
	layer *Layer
}

// ReadAt implements io.ReaderAt.
func (s *slowed) ReadAt(p []byte, off int64) (int, error) {
	if s.layer.slow.Load() {
		s.layer.queue.wait()
	}
	return s.file.ReadAt(p, off)
}
