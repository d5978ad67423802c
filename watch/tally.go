package watch

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"getio/engine/readpath"
	"getio/engine/region"
	"getio/record"
	"getio/watch/probe"
)

type volume struct {
	record.WatchedReads // without the latency
	latency             *hdrhistogram.Histogram
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
	v.DeviceBytes += r.DeviceBytes
	if r.Prefetch {
		v.Prefetches++
		return
	}
	v.Count++
	v.Bytes += max(r.Returned, 0)
	if r.Offset >= 0 {
		v.PageBytes += readpath.PageBytes * readpath.Pages(r.Offset, int(r.Returned))
	}
	if r.DeviceBytes == 0 {
		v.FromPageCache++
		if r.ahead {
			v.FetchedAhead++
		}
	}
	v.latency.RecordValue(min(max(int64(r.Latency), 0), longestRead)) // never out of range
}

func (v *volume) merge(o *volume) {
	v.Count += o.Count
	v.Bytes += o.Bytes
	v.PageBytes += o.PageBytes
	v.DeviceBytes += o.DeviceBytes
	v.FromPageCache += o.FromPageCache
	v.FetchedAhead += o.FetchedAhead
	v.Prefetches += o.Prefetches
	v.latency.Merge(o.latency)
}

// describe returns the volume with its latency.
func (v *volume) describe() record.WatchedReads {
	r := v.WatchedReads
	if r.Count > 0 {
		r.Latency = new(record.NewTimes(v.latency))
	}
	return r
}

// placed is reads of tables with their components.
type placed struct {
	*volume
	parts    readpath.Reads // by component; reads of tables without a map are in none
	unmapped int64          // reads of tables without a map
}

func newPlaced() *placed { return &placed{volume: newVolume()} }

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
	p.parts.Record(c, r.Offset, int(r.Length))
	if footer {
		p.parts.Footers++
	}
	if !fits {
		p.parts.Misplaced++
	}
}

// entryOf returns what a map has of a key, and adds it if there is nothing.
func entryOf[K comparable, V any](m map[K]*V, key K, fresh func() *V) *V {
	if m[key] == nil {
		m[key] = fresh()
	}
	return m[key]
}

// tally is what Gets of one kind of keys have read.
type tally struct {
	placed
	gets     int64
	perReads map[int]int64 // Gets by how many reads they made, from 1 on
	// accesses are those of the block cache; the unmapped ones are of tables without a map, or of offsets at which no block
	// begins.
	accesses         readpath.PerComponent
	unmappedAccesses int64
}

func newTally() *tally { return &tally{placed: *newPlaced(), perReads: map[int]int64{}} }

func (t *tally) merge(o *tally) {
	t.volume.merge(o.volume)
	t.gets += o.gets
	for n, gets := range o.perReads {
		t.perReads[n] += gets
	}
	t.parts = t.parts.Add(o.parts)
	t.unmapped += o.unmapped
	t.accesses = t.accesses.Add(o.accesses)
	t.unmappedAccesses += o.unmappedAccesses
}

// histogram returns the number of Gets by how many reads they made. Gets still under way, and all
// after the last of them, are not among those of any reads.
func (t *tally) histogram() []int64 {
	h := []int64{t.gets}
	for n, gets := range t.perReads {
		h = append(h, make([]int64, max(n+1-len(h), 0))...)
		h[n] = gets
		h[0] -= gets
	}
	h[0] = max(h[0], 0)
	return h
}
