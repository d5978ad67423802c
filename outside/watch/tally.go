package watch

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"getio/outside/probe"
	"getio/tree/readpath"
)

// volume is how much was read.
type volume struct {
	reads, bytes int64
	device       int64 // bytes that came from devices
	cached       int64 // reads that the page cache served in whole
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

func (v *volume) add(r *probe.Read) {
	v.reads++
	v.bytes += max(r.Returned, 0)
	v.device += r.DeviceBytes
	if r.DeviceBytes == 0 {
		v.cached++
	}
	v.latency.RecordValue(min(max(int64(r.Latency), 0), longestRead)) // never out of range
}

func (v *volume) merge(o *volume) {
	v.reads += o.reads
	v.bytes += o.bytes
	v.device += o.device
	v.cached += o.cached
	v.latency.Merge(o.latency)
}

// tally is what Gets of one kind of keys have read.
type tally struct {
	*volume
	gets     int64
	reading  int64          // Gets that read anything
	perReads map[int]int64  // Gets by how many reads they made, from 1 on
	parts    readpath.Reads // by component; reads of tables without a map are in none
	unmapped int64          // reads of tables without a map
	accesses accesses       // of the block cache
}

func newTally() *tally { return &tally{volume: newVolume(), perReads: map[int]int64{}} }

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
