package watch

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"getio/engine/readpath"
	"getio/engine/region"
	"getio/watch/probe"
)

// volume is how much was read.
type volume struct {
	reads, bytes int64
	device       int64 // bytes that came from devices
	cached       int64 // reads that the page cache served in whole
	ahead        int64 // of cached, those of bytes that had been fetched from a device ahead of them
	prefetches   int64
	latency      *hdrhistogram.Histogram
}

// Latencies are kept in nanoseconds, to two digits, up to a minute.
const (
	latencyDigits = 2
	longestRead   = int64(time.Minute)
)

func newVolume() *volume {
	return &volume{latency: hdrhistogram.New(1, longestRead, latencyDigits)}
}

// read is a read or prefetch that was delivered.
type read struct {
	*probe.Read
	ahead bool // bytes of it had been fetched from a device ahead of it
}

func (v *volume) add(r *read) {
	if r.Prefetch {
		v.prefetches++
		v.device += r.DeviceBytes
		return
	}
	v.reads++
	v.bytes += max(r.Returned, 0)
	v.device += r.DeviceBytes
	if r.DeviceBytes == 0 {
		v.cached++
		if r.ahead {
			v.ahead++
		}
	}
	v.latency.RecordValue(min(max(int64(r.Latency), 0), longestRead)) // never out of range
}

func (v *volume) merge(o *volume) {
	v.reads += o.reads
	v.bytes += o.bytes
	v.device += o.device
	v.cached += o.cached
	v.ahead += o.ahead
	v.prefetches += o.prefetches
	v.latency.Merge(o.latency)
}

// placed is reads of tables with their components.
type placed struct {
	*volume
	parts    readpath.Reads // by component; reads of tables without a map are in none
	unmapped int64          // reads of tables without a map
}

func newPlaced() placed { return placed{volume: newVolume()} }

// add counts a read of the table with a map, which may be nil.
func (p *placed) add(r *read, m *region.Map) {
	p.volume.add(r)
	switch {
	case r.Prefetch:
		return
	case m == nil || r.Offset < 0:
		p.unmapped++
		return
	}
	c, fits, footer := m.Classify(r.Offset, int(r.Length))
	p.parts.Count[c]++
	p.parts.Bytes[c] += r.Length
	if footer {
		p.parts.Footers++
	}
	if !fits {
		p.parts.Misplaced++
	}
}

// accesses are those of the block cache by Gets of one kind of keys.
type accesses struct {
	parts    readpath.PerComponent
	unmapped int64 // of tables without a map, and of offsets at which no block begins
}

func (a *accesses) merge(o *accesses) {
	a.parts = a.parts.Add(o.parts)
	a.unmapped += o.unmapped
}

// tally is what Gets of one kind of keys have read.
type tally struct {
	placed
	gets     int64
	reading  int64         // Gets that read anything
	perReads map[int]int64 // Gets by how many reads they made, from 1 on
	accesses accesses      // of the block cache
}

func newTally() *tally { return &tally{placed: newPlaced(), perReads: map[int]int64{}} }

func (t *tally) merge(o *tally) {
	t.volume.merge(o.volume)
	t.gets += o.gets
	t.reading += o.reading
	for n, gets := range o.perReads {
		t.perReads[n] += gets
	}
	t.parts.Count = t.parts.Count.Add(o.parts.Count)
	t.parts.Bytes = t.parts.Bytes.Add(o.parts.Bytes)
	t.parts.Footers += o.parts.Footers
	t.parts.Misplaced += o.parts.Misplaced
	t.unmapped += o.unmapped
	t.accesses.merge(&o.accesses)
}

// histogram returns the number of Gets by how many reads they made. Gets still under way, and all
// after the last of them, are not among those of any reads.
func (t *tally) histogram() []int64 {
	most := 0
	for n := range t.perReads {
		most = max(most, n)
	}
	h := make([]int64, most+1)
	for n, gets := range t.perReads {
		h[n] = gets
	}
	h[0] = max(t.gets-t.reading, 0)
	return h
}
