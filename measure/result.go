package measure

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/numbers/units"
	"getio/record"
	"getio/record/judge"
	"getio/system/device"
)

// newResult returns a result with the fields that follow from the database, the cache and the
// counts of the measured Gets.
func newResult(info engine.Info, shape *lsm.Shape, cache engine.Cache, run engine.Counts, checks []readpath.Check) *record.Result {
	bytes := shape.Total().Bytes
	result := &record.Result{
		Schema: record.ResultSchema,
		Time:   time.Now().UTC().Truncate(time.Second),
		Engine: record.Engine{Name: info.Engine, Version: info.Version},
		Dataset: record.Dataset{
			Path: info.Dir, Records: shape.Total().Records, Bytes: bytes, WALKeys: info.WALKeys,
		},
		Shape: shape.WithoutTables(),
		Cache: record.Cache{
			Bytes: cache.Bytes, Shards: cache.Shards, ReservedBytes: cache.Reserved,
			Phase: shape.Phase(cache.Bytes),
		},
		Components:  record.Components(run.Reads, run.Accesses),
		Cached:      blockCache(run),
		SharedLoads: run.SharedLoads,
		Checks:      checks,
		Environment: record.ThisMachine(),
	}
	if bytes > 0 {
		result.Cache.FractionOfDB = float64(cache.Bytes) / float64(bytes)
	}
	return result
}

// describe sets the fields that follow from the run and its windows.
func (r *run) describe(result *record.Result, m measured) {
	w := r.plan.made(r.seek)
	w.WarmupGets, w.WarmupChosenGets, w.Gets = r.chosen+m.warmup, r.chosen, r.phase.gets
	result.Workload = w
	result.IOsPerGet = r.iosPerGet(m.windows, m.windows)
	if m.ended != "" {
		r.describeEnd(result, m)
	} else if result.IOsPerGet.Steady == nil {
		result.Warnings = append(result.Warnings, fmt.Sprintf(
			"too few Gets to tell whether the run is steady: %d windows of %d are needed", steady.Windows, r.plan.minGets))
	}
	result.BytesPerGet, result.PageBytesPerGet = bytesPerGet(result.Components, r.phase.gets), r.pageBytesPerGet()
	result.BytesWindows = record.SetWindows(result.Components, r.phase.windowReads)
	r.describeFound(result)
	result.File = record.File{ReadsPerGet: result.IOsPerGet.Mean, BytesPerGet: result.BytesPerGet}
	if r.shared == nil {
		r.describeLayers(result)
	} else {
		r.describeShared(result)
	}
	r.describeLatency(result)
	if r.phase.recorder.pace == nil && r.shared == nil {
		result.CPUusPerGet = float64(r.phase.spent.CPU.Nanoseconds()) / 1e3 / float64(r.phase.gets)
	}
	result.Warnings = append(result.Warnings, r.warnings(result)...)
}

// describeFound sets the share of existing keys, of which only the first of a scan counts, and, of operations other than
// Gets, the figures per key that was returned or looked up.
func (r *run) describeFound(result *record.Result) {
	var found, records int64
	for _, w := range r.phase.workers {
		found += w.found
		records += w.records
	}
	result.Workload.HitFraction = float64(found) / float64(r.phase.gets*r.plan.EachKeys())
	if !r.plan.Kind.IsGet() && records > 0 {
		result.PerKey = &record.PerKey{
			Keys: records, IOs: result.IOsPerGet.Mean * float64(r.phase.gets) / float64(records),
			Bytes: result.BytesPerGet * float64(r.phase.gets) / float64(records),
		}
	}
}

// iosPerGet returns the mean of a run's windows. all also includes the windows of the runs that
// it continues; steadiness is judged by the last of them.
func (r *run) iosPerGet(windows, all []steady.Window) record.IOsPerGet {
	io := judge.IOsPerGet(windows)
	judge.Steadiness(&io, steady.Last(all, len(windows), r.plan.minGets), r.plan.minGets, r.made())
	return io
}

func bytesPerGet(components map[string]record.Component, gets int64) float64 {
	var bytes int64
	for _, c := range components {
		bytes += c.BytesRead
	}
	return float64(bytes) / float64(gets)
}

// pageBytesPerGet returns the bytes of the pages that the measured Gets touched.
func (r *run) pageBytesPerGet() *float64 {
	var reads readpath.Reads
	for _, w := range r.phase.windowReads {
		reads = reads.Add(w)
	}
	return r.perGet(reads.Pages * readpath.PageBytes)
}

func blockCache(run engine.Counts) *record.BlockCache {
	return &record.BlockCache{
		Hits: run.BlockCacheHits, Misses: run.BlockCacheMisses,
		HitRate: record.HitRate(run.BlockCacheHits, run.BlockCacheHits+run.BlockCacheMisses),
	}
}

// manyOpens is the number of reads per Get by table opens above which there is a warning.
const manyOpens = 0.01

func (r *run) warnings(result *record.Result) (warnings []string) {
	opens := float64(result.Components[readpath.TableOpen.String()].Misses) / float64(result.Workload.Gets)
	if opens > manyOpens && r.opensAgain(result) {
		files := "tables"
		if result.Shape.BlobFiles > 0 {
			files = "tables and blob files"
		}
		warnings = append(warnings, fmt.Sprintf(
			"%.2f reads per Get only open %s, since the database has more of them than may be open: raise --max-open-files", opens, files))
	}
	if other := result.Components[readpath.Other.String()]; other.Misses > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"%d reads were of range deletions or value blocks, which a Get of a plain key does not read", other.Misses))
	}
	if cache := r.db.Cache(); cache.Bytes > 0 && cache.Recycled > cache.Bytes/largeShare {
		warnings = append(warnings, fmt.Sprintf(
			"%s may charge blocks for buffers of up to %s that it uses again, and which it has depends on the program and its scheduling: "+
				"with a cache of %s, other runs and programs may differ by more than the interval says",
			result.Engine.Name, units.Size(cache.Recycled), units.Size(cache.Bytes)))
	}
	return warnings
}

// largeShare is the part of a cache from which on one buffer decides what else it holds.
const largeShare = 10

// warmEnough is the number of Gets per file after which nearly all files are open.
const warmEnough = 10

// opensAgain reports whether tables or blob files were opened more than once.
func (r *run) opensAgain(result *record.Result) bool {
	files := result.Shape.Total().Tables + result.Shape.BlobFiles
	return result.Workload.WarmupGets >= warmEnough*files || r.counts().TableCacheMisses > files
}

// getError returns the error of a run in which a Get failed.
func getError(key []byte, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return fmt.Errorf("key %x could not be read, so no figure of this run is valid (%s)", key, text)
}

// describeLayers sets what reached each layer per Get.
func (r *run) describeLayers(result *record.Result) {
	uncached := result.Components[readpath.TableOpen.String()].BytesRead + result.Components[readpath.Blob.String()].BytesRead
	result.Cached.MissesPerGet = r.perGet(result.Cached.Misses)
	result.Cached.BytesPerGet = new(result.BytesPerGet - *r.perGet(uncached))

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
	return new(float64(n) / float64(r.phase.gets))
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
