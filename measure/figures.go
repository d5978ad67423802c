package measure

import (
	"errors"
	"fmt"

	"getio/engine/readpath"
	"getio/record"
	"getio/system/device"
)

// describeLayers sets what reached each layer per Get.
func (r *run) describeLayers(result *record.Result) {
	uncached := result.Components[readpath.TableOpen.String()].BytesRead + result.Components[readpath.Blob.String()].BytesRead
	result.Cached.MissesPerGet = r.perGet(result.Cached.Misses)
	blocks := result.BytesPerGet - *r.perGet(uncached)
	result.Cached.BytesPerGet = &blocks

	way := r.layers.way
	result.Device.PageCache = string(way.PageCache())
	speed := r.speed()
	if m := modelled(way.Model()); m != nil {
		m.GetsPerSecond = speed
		result.Device.Modelled = m
	} else {
		result.GetsPerSecond = speed
	}
	if !r.layers.made {
		r.describeDevice(result)
		r.describeDisk(result)
	}
}

// speed returns the Gets per second.
func (r *run) speed() float64 {
	if r.phase.recorder.pace != nil {
		return r.phase.recorder.pace.reached()
	}
	return float64(r.phase.gets) / r.phase.spent.Wall.Seconds()
}

// perGet returns n per measured Get.
func (r *run) perGet(n int64) *float64 {
	share := float64(n) / float64(r.phase.gets)
	return &share
}

// modelled returns the record of a modelled device; nil for a real one.
func modelled(m device.Model) *record.ModelledDevice {
	if m == (device.Model{}) {
		return nil
	}
	return &record.ModelledDevice{IOPS: m.IOPS, ReadLatencyUS: float64(m.Latency.Nanoseconds()) / 1e3}
}

// describeDevice sets what reached the device. With the page cache in use, the number of
// reads is known only if there were none.
func (r *run) describeDevice(result *record.Result) {
	l := r.layers
	switch {
	case errors.Is(l.err, errors.ErrUnsupported): // not on Linux: the figures are absent
	case l.err != nil:
		result.Warnings = append(result.Warnings, fmt.Sprintf("%v: the bytes that reached the device are not known", l.err))
	default:
		result.Device.BytesPerGet = r.perGet(l.account.Bytes)
	}
	none := l.err == nil && l.account.Bytes == 0
	if l.way.PageCache() != device.Keep || none {
		result.Device.ReadsPerGet = r.perGet(l.asked.Reads)
	}
}

// describeDisk sets the reads that the disk completed.
func (r *run) describeDisk(result *record.Result) {
	l := r.layers
	if l.disk.Name == "" {
		return
	}
	result.Device.Disk, result.Device.DiskReadsPerGet = l.disk.Name, r.perGet(l.diskReads)
	if differ(l.diskReads, l.asked.Reads) > mostReads {
		result.Warnings = append(result.Warnings, fmt.Sprintf(
			"%s completed %d reads while this run made %d: other processes read it too, or it splits or merges reads",
			l.disk.Name, l.diskReads, l.asked.Reads))
	}
}

// describeLatency sets the latency of a result, and warns if the rate was not reached.
func (r *run) describeLatency(result *record.Result) {
	if !r.phase.recorder.latency {
		return
	}
	all := newLatencies(r.phase.recorder.pace != nil)
	for _, w := range r.phase.workers {
		all.merge(w.latencies)
	}
	service := record.NewTimes(all.service)
	p := r.phase.recorder.pace
	if p == nil {
		result.Latency = &record.Latency{Kind: record.LatencyService, Times: service}
		return
	}
	result.Latency = &record.Latency{
		Kind: record.LatencyResponse, Times: record.NewTimes(all.response),
		Rate: p.rate, Reached: p.reached(), Service: &service,
	}
	if p.reached() < (1-unreached)*float64(p.rate) {
		result.Warnings = append(result.Warnings, fmt.Sprintf(
			"only %.0f of %d Gets per second were reached, so Gets queued up, and response times grow with the length of the run: choose a lower --rate, or more --workers",
			p.reached(), p.rate))
	}
}

// distribution returns the distribution of reads per Get in the phase, or nil if not recorded.
func (r *run) distribution() *record.Distribution {
	if !r.plan.Distribution {
		return nil
	}
	var all histogram
	for _, w := range r.phase.workers {
		for reads, gets := range w.histogram {
			all.add(reads, gets)
		}
	}
	now, _ := r.attribution.unattributed()
	return record.NewDistribution(all, now.Sub(r.phase.recorder.unattributed).Sum())
}

// describeShared sets the device and the speed of a run with updates.
func (r *run) describeShared(result *record.Result) {
	result.Device.PageCache = string(device.Keep)
	result.GetsPerSecond = r.speed()
}
