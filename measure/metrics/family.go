package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// family holds all series of one metric.
type family struct {
	name   string
	labels []string
	kind   prometheus.ValueType
	desc   *prometheus.Desc
}

// families lists metrics in the order of their definition.
type families []*family

// runFamilies are the metrics of a Run.
var runFamilies families

func (f *families) add(kind prometheus.ValueType, name, help string, labels []string) *family {
	added := &family{name: name, labels: labels, kind: kind, desc: prometheus.NewDesc(name, help, labels, nil)}
	*f = append(*f, added)
	return added
}

func (f *families) gauge(name, help string, labels ...string) *family {
	return f.add(prometheus.GaugeValue, name, help, labels)
}

func (f *families) counter(name, help string, labels ...string) *family {
	return f.add(prometheus.CounterValue, name, help, labels)
}

func (f families) describe(to chan<- *prometheus.Desc) {
	for _, each := range f {
		to <- each.desc
	}
}

// series returns a series with a value for each label. It replaces invalid UTF-8, which paths may
// contain and Prometheus rejects.
func (f *family) series(value float64, labels ...string) prometheus.Metric {
	for i := range labels {
		labels[i] = strings.ToValidUTF8(labels[i], "\uFFFD")
	}
	return prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

// The run as a whole.
var (
	runInfo = runFamilies.gauge("getio_run_info",
		"What is run, always 1. cache_bytes is empty where no cache is measured.",
		"engine", "engine_version", "preset", "dataset", "dataset_kind", "cache_bytes")
	runPhase     = runFamilies.gauge("getio_run_phase", "The phase under way, always 1.", "phase")
	phaseDone    = runFamilies.gauge("getio_phase_done", "Gets or keys of the phase under way that are done.", "unit")
	phasePlanned = runFamilies.gauge("getio_phase_planned",
		"Gets or keys of the phase under way in all, absent where it is not known.", "unit")
	sizesPlanned  = runFamilies.gauge("getio_sizes_planned", "Cache sizes that the run measures in all.")
	sizesFinished = runFamilies.gauge("getio_sizes_finished",
		"Cache sizes for which the run has a result, including results of an earlier run.")
)

// The Gets of each phase of each cache size, as far as they are made.
var (
	getsMade = runFamilies.counter("getio_gets_total", "Gets made.", "cache_bytes", "phase")
	getsTime = runFamilies.counter("getio_gets_seconds_total", "Time in which Gets were made.", "cache_bytes", "phase")
	accesses = runFamilies.counter("getio_accesses_total",
		"Blocks that Gets asked for. index_and_data is one sum (with other blocks), as the engines count it.", "cache_bytes", "phase", "component")
	reads = runFamilies.counter("getio_reads_total",
		"Reads of table files: accesses that the cache could not serve.", "cache_bytes", "phase", "component")
	readBytes = runFamilies.counter("getio_read_bytes_total", "Bytes read from table files.", "cache_bytes", "phase", "component")
	iosPerGet = runFamilies.gauge("getio_ios_per_get",
		"Reads per Get of the phase so far. Absent where self-checks failed.", "cache_bytes", "phase")
	windowIOsPerGet = runFamilies.gauge("getio_window_ios_per_get",
		"Reads per Get of the last window. Absent where self-checks failed.", "cache_bytes", "phase")
	getsPerSecond = runFamilies.gauge("getio_gets_per_second",
		"Gets per second of the phase so far. Absent where self-checks failed.", "cache_bytes", "phase")
	hitRatio = runFamilies.gauge("getio_hit_ratio",
		"Share of the accesses that the cache served in the phase so far; of index and data as the engine estimates it. Absent where self-checks failed.", "cache_bytes", "phase", "component")
)

// The results of cache sizes that are finished.
var (
	checksFailed = runFamilies.gauge("getio_run_checks_failed",
		"Self-checks that failed of a finished cache size. Unless it is 0 no figure of the size counts, and none is here.", "cache_bytes")
	resultIOsPerGet = runFamilies.gauge("getio_result_ios_per_get", "Reads per Get of all measured Gets.", "cache_bytes")
	resultBound     = runFamilies.gauge("getio_result_ios_per_get_ci95",
		"The 95% interval of the reads per Get, low and high.", "cache_bytes", "bound")
	resultSteady = runFamilies.gauge("getio_result_steady",
		"Whether the measured Gets were steady, 1 or 0. Absent where they were too few to tell.", "cache_bytes")
	resultContinued = runFamilies.gauge("getio_result_continued_ios_per_get",
		"Reads per Get of the last further run of a size that was not steady.", "cache_bytes")
	resultAccesses = runFamilies.gauge("getio_result_accesses",
		"Blocks that the measured Gets asked for, index and data told apart.", "cache_bytes", "component")
	resultHitRatio = runFamilies.gauge("getio_result_hit_ratio",
		"Share of these accesses that the cache served.", "cache_bytes", "component")
)

// What is written.
var (
	keysWritten = runFamilies.counter("getio_written_keys_total",
		"Keys written, including the keys of an interrupted load that was resumed.", "phase")
	bytesWritten = runFamilies.counter("getio_written_bytes_total",
		"Bytes of these keys and their values, as they are handed to the library.", "phase")
	compactionsRunning = runFamilies.gauge("getio_compactions_in_progress", "Compactions under way, absent unless a tree settles.")
	compactionsDone    = runFamilies.counter("getio_compactions_total",
		"Compactions and flushes that the library has finished since it opened the database; of databases that the run opened one after another, the sum.")
	compactionDebt = runFamilies.gauge("getio_compaction_debt_bytes",
		"Bytes that are still to be compacted, as the library estimates it. Absent unless a tree settles.")
)
