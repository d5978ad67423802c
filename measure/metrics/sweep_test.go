package metrics

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/engine/readpath"
	"getio/load"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

// options make a tree of a few thousand keys have several levels.
var options = map[string][]string{
	"pebblev1":  {"block_size=1KiB", "index_block_size=512", "target_file_size=128KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB"},
	"pebblev2":  {"block_size=1KiB", "index_block_size=512", "target_file_size=128KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB"},
	"goleveldb": {"block_size=1KiB", "table_size=128KiB", "memtable_size=256KiB", "l1_max_bytes=256KiB", "level_multiplier=4"},
}

// TestScrapedSweep: a load and a sweep are scraped at every stage. No counter may fall, and
// the values of a finished size equal its record.
func TestScrapedSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes with the race detector, for which there is TestConcurrentScrapes")
	}
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			run := NewRun()
			w := &watcher{t: t, server: serve(t, run)}
			dir := filepath.Join(t.TempDir(), "dataset")
			loadScraped(t, e, 10_000, dir, run, w)
			sweepScraped(t, 10_000, dir, run, w)
			assert.GreaterOrEqual(t, w.moves, 50)
		})
	}
}

func loadScraped(t *testing.T, e engine.Engine, keys uint64, dir string, run *Run, w *watcher) {
	t.Helper()
	cfg, err := e.Configure("", options[e.Name()])
	require.NoError(t, err)
	m := &dataset.Manifest{
		Keys: keys, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000,
		Schema: dataset.Schema, Engine: e.Name(), EngineVersion: e.Version(), Preset: cfg.Preset(), Options: cfg.Effective(),
	}
	var last load.Stage
	j := &load.Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: 2, Progress: func(s load.Stage) {
		last = s
		run.Load(s)
		w.look()
	}}
	require.NoError(t, j.New(t.Context()))
	now := w.look()
	for name, want := range map[string]float64{
		`getio_written_keys_total{phase="load"}`:  float64(keys),
		`getio_written_bytes_total{phase="load"}`: float64(keys * (dataset.KeySize + 110)),
		`getio_compactions_in_progress{}`:         0,
		`getio_compactions_total{}`:               float64(last.Settling.CompactionsDone),
		`getio_compaction_debt_bytes{}`:           float64(last.Settling.DebtBytes),
	} {
		if got, there := now[name]; !there || got != want {
			t.Errorf("%s is %v (exists: %v) at the end of the load, want %v", name, got, there, want)
		}
	}
	assert.NotEqualValues(t, 0, now[`getio_compactions_total{}`], "no compaction or flush was counted")
}

// sweepScraped measures gets Gets with each of three caches.
func sweepScraped(t *testing.T, gets int64, dir string, run *Run, w *watcher) {
	t.Helper()
	d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{})
	require.NoError(t, err)
	defer d.Close()
	sizes := []int64{1 << 20, 2 << 20, 4 << 20}
	run.Identify(d.EngineRecord(), record.Dataset{Path: dir, Kind: d.Kind()})
	run.Plan(len(sizes))
	sweep := measure.Sweep{
		Database: d,
		Options: measure.Options{Workload: workload.Workload{Keys: workload.Keys{Seed: 1}, Gets: gets, Warmup: workload.WarmupGets(gets / 4), Workers: 2, MoreRuns: 1}, Progress: func(s measure.Stage) {
			run.Measure(s)
			w.look()
		}},
	}
	for _, bytes := range sizes {
		sweep.Caches = append(sweep.Caches, engine.OpenConfig{CacheBytes: bytes})
	}
	sweep.Each = func(r *record.Result, _ bool) error {
		run.Finish(r)
		requireFinal(t, w.look(), r)
		return nil
	}
	results, err := sweep.Run(t.Context())
	require.NoError(t, err)
	last := w.look()
	for _, r := range results { // earlier results are still exported
		requireFinal(t, last, r)
	}
	assert.Equal(t, float64(len(sizes)), last["getio_sizes_finished{}"], "finished sizes")
}

// requireFinal compares what was scraped with a result, figure by figure.
func requireFinal(t *testing.T, now scrape, r *record.Result) {
	t.Helper()
	want, bytes := scrape{}, r.Cache.Bytes
	measured := `phase="measure"`
	want[of("getio_gets_total", bytes, measured)] = float64(r.Workload.Gets)
	want[of("getio_gets_total", bytes, `phase="warm-up"`)] = float64(r.Workload.WarmupGets)
	want[of("getio_ios_per_get", bytes, measured)] = r.IOsPerGet.Mean
	want[of("getio_window_ios_per_get", bytes, measured)] = r.IOsPerGet.Windows[len(r.IOsPerGet.Windows)-1]
	want[of("getio_gets_per_second", bytes, measured)] = r.GetsPerSecond
	want[of("getio_run_checks_failed", bytes)] = 0
	want[of("getio_result_ios_per_get", bytes)] = r.IOsPerGet.Mean
	want[of("getio_result_ios_per_get_ci95", bytes, `bound="low"`)] = r.IOsPerGet.CI95[0]
	want[of("getio_result_ios_per_get_ci95", bytes, `bound="high"`)] = r.IOsPerGet.CI95[1]
	rest := int64(0)
	for _, c := range readpath.Components() {
		component, got := `component="`+c.String()+`"`, r.Components[c.String()]
		if c == readpath.Blob { // no engine here has blob files
			assert.NotContains(t, r.Components, c.String())
			assert.NotContains(t, now, of("getio_reads_total", bytes, component, measured))
			continue
		}
		want[of("getio_reads_total", bytes, component, measured)] = float64(got.Misses)
		want[of("getio_read_bytes_total", bytes, component, measured)] = float64(got.BytesRead)
		want[of("getio_result_accesses", bytes, component)] = float64(*got.Accesses)
		if got.HitRate != nil {
			want[of("getio_result_hit_ratio", bytes, component)] = *got.HitRate
		}
		switch c {
		case readpath.Index, readpath.Data, readpath.Other:
			rest += *got.Accesses
		default:
			want[of("getio_accesses_total", bytes, component, measured)] = float64(*got.Accesses)
		}
	}
	want[of("getio_accesses_total", bytes, `component="index_and_data"`, measured)] = float64(rest)
	if n := len(r.Continued); n > 0 {
		want[of("getio_result_continued_ios_per_get", bytes)] = r.Continued[n-1].IOsPerGet.Mean
		want[of("getio_gets_total", bytes, `phase="go on"`)] = float64(int64(n) * r.Workload.Gets)
	}
	for name, value := range want {
		if got, there := now[name]; !there || got != value {
			t.Errorf("%s is %v (exists: %v), want %v as in the record", name, got, there, value)
		}
	}
}

// TestConcurrentScrapes is for the race detector.
func TestConcurrentScrapes(t *testing.T) {
	run := NewRun()
	server := serve(t, run)
	stop := make(chan struct{})
	var scrapers sync.WaitGroup
	for range 2 {
		scrapers.Go(func() {
			for w := (&watcher{t: t, server: server}); ; {
				select {
				case <-stop:
					return
				default:
					w.look()
				}
			}
		})
	}
	w := &watcher{t: t, server: server}
	dir := filepath.Join(t.TempDir(), "dataset")
	loadScraped(t, engines.All()[0], 2_000, dir, run, w)
	sweepScraped(t, 2_000, dir, run, w)
	close(stop)
	scrapers.Wait()
}
