package metrics

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"getio/record"
)

// Watch holds what a running process has read so far. It is safe for concurrent use.
//
// Invariant: no exported counter decreases, since a record counts from the beginning on.
type Watch struct {
	mu   sync.Mutex
	last *record.Watch // nil at first
}

var _ prometheus.Collector = (*Watch)(nil)

// watchFamilies are the metrics of a Watch.
var watchFamilies families

// What a running process reads, by database: the path of its directory.
var (
	watchInfo = watchFamilies.gauge("getio_watch_info", "The process that is watched, always 1.",
		"pid", "name", "module", "version")
	watchSeconds = watchFamilies.counter("getio_watch_seconds_total", "Time in which Gets and reads were counted.")
	watchGets    = watchFamilies.counter("getio_watch_gets_total",
		"Gets by category of the key; the category is empty unless the process is an Ethereum client.", "database", "category")
	watchGetReads = watchFamilies.counter("getio_watch_get_reads_total",
		"Reads of tables by Gets.", "database", "category", "component")
	watchAccesses = watchFamilies.counter("getio_watch_cache_accesses_total",
		"Blocks that Gets looked up in the block cache. Only with --accesses.", "database", "category", "component")
	watchMisses = watchFamilies.counter("getio_watch_cache_misses_total",
		"Blocks that were not in the block cache then. Only with --accesses.", "database", "category", "component")
	watchReads  = watchFamilies.counter("getio_watch_reads_total", "Reads of tables by cause.", "database", "cause")
	watchBytes  = watchFamilies.counter("getio_watch_read_bytes_total", "Bytes of these reads.", "database", "cause")
	watchDevice = watchFamilies.counter("getio_watch_device_bytes_total",
		"Bytes that came from devices for these reads, readahead and prefetches included.", "database", "cause")
	watchCached = watchFamilies.counter("getio_watch_page_cache_reads_total",
		"Reads for which nothing came from a device.", "database", "cause")
	watchAhead = watchFamilies.counter("getio_watch_fetched_ahead_reads_total",
		"Those of them whose bytes readahead or a prefetch had brought from a device.", "database", "cause")
	watchIterators = watchFamilies.counter("getio_watch_iterators_total",
		"Iterators opened. Absent if it is not known which are of the database.", "database")
	watchSeeks      = watchFamilies.counter("getio_watch_seeks_total", "Their seeks.", "database")
	watchFileReads  = watchFamilies.counter("getio_watch_file_reads_total", "Reads of other files than tables.", "kind")
	watchFileBytes  = watchFamilies.counter("getio_watch_file_read_bytes_total", "Bytes of these reads.", "kind")
	watchFileDevice = watchFamilies.counter("getio_watch_file_device_bytes_total",
		"Bytes that came from devices for these reads, readahead and prefetches included.", "kind")
	watchProcessDevice = watchFamilies.counter("getio_watch_process_device_bytes_total",
		"Bytes that the process has read from devices in any way, as the kernel counts them. Absent if it does not.")
	watchIOs = watchFamilies.gauge("getio_watch_ios_per_get",
		"Reads per Get so far. Absent without Gets, and if the counts are incomplete.", "database")
	watchComplete = watchFamilies.gauge("getio_watch_complete",
		"Whether at most 0.1% of the Gets and reads were lost, 1 or 0. Figures that are not complete are not exact.")
)

// Set sets what was counted so far.
func (w *Watch) Set(r *record.Watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = r
}

// Describe implements prometheus.Collector.
func (*Watch) Describe(to chan<- *prometheus.Desc) { watchFamilies.describe(to) }

// Collect implements prometheus.Collector.
func (w *Watch) Collect(to chan<- prometheus.Metric) {
	w.mu.Lock()
	r := w.last
	w.mu.Unlock()
	if r == nil {
		return
	}
	p := &r.Process
	to <- watchInfo.series(1, strconv.Itoa(p.PID), p.Name, p.Module, p.Version)
	to <- watchSeconds.series(r.Seconds)
	complete := 0.0
	if r.Complete {
		complete = 1
	}
	to <- watchComplete.series(complete)
	for _, d := range r.Databases {
		collectDatabase(to, d, r.Complete)
	}
	for _, f := range r.Files {
		kind := string(f.Kind)
		to <- watchFileReads.series(float64(f.Count), kind)
		to <- watchFileBytes.series(float64(f.Bytes), kind)
		to <- watchFileDevice.series(float64(f.DeviceBytes), kind)
	}
	if r.Device != nil {
		to <- watchProcessDevice.series(float64(r.Device.ProcessBytes))
	}
}

func collectDatabase(to chan<- prometheus.Metric, d *record.WatchedDatabase, complete bool) {
	if d.IOsPerGet != nil && complete {
		to <- watchIOs.series(d.IOsPerGet.Mean, d.Path)
	}
	for _, c := range d.Causes {
		cause := string(c.Cause)
		to <- watchReads.series(float64(c.Count), d.Path, cause)
		to <- watchBytes.series(float64(c.Bytes), d.Path, cause)
		to <- watchDevice.series(float64(c.DeviceBytes), d.Path, cause)
		to <- watchCached.series(float64(c.FromPageCache), d.Path, cause)
		to <- watchAhead.series(float64(c.FetchedAhead), d.Path, cause)
	}
	if i := d.Iterators; i != nil {
		to <- watchIterators.series(float64(i.Opened), d.Path)
		to <- watchSeeks.series(float64(i.Seeks), d.Path)
	}
	if d.Categories == nil {
		collectGets(to, d.Path, "", &d.WatchedGets)
	}
	for _, c := range d.Categories {
		collectGets(to, d.Path, c.Category, &c.WatchedGets)
	}
}

func collectGets(to chan<- prometheus.Metric, database, category string, g *record.WatchedGets) {
	to <- watchGets.series(float64(g.Gets), database, category)
	for component, part := range g.Components {
		to <- watchGetReads.series(float64(part.Reads), database, category, component)
	}
	if g.BlockCache == nil {
		return
	}
	for component, part := range g.BlockCache.Components {
		to <- watchAccesses.series(float64(part.Accesses), database, category, component)
		to <- watchMisses.series(float64(part.Misses), database, category, component)
	}
}
