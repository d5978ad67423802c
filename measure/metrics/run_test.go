package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/load"
	"getio/measure"
	"getio/record"
)

const cacheBytes = 1 << 20

// gathered returns the metric families of a collector, without HTTP.
func gathered(t *testing.T, c prometheus.Collector) []*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	all, err := registry.Gather()
	require.NoError(t, err)
	return all
}

// stage returns a stage in which each Get made one read of data.
func stage(phase string, part int, done, total int64) measure.Stage {
	s := measure.Stage{
		Phase: phase, Part: part, Done: done, Total: total, IOsPerGet: 1, CacheBytes: cacheBytes,
		Took: time.Duration(done) * time.Second,
	}
	s.Counts.Reads.Count[readpath.Data] = done
	s.Counts.Accesses.Count[readpath.Data] = 2 * done
	s.Counts.Accesses.Count[readpath.Filter] = done
	return s
}

func result(ok bool) *record.Result {
	steady := false
	r := &record.Result{
		Cache:      record.Cache{Bytes: cacheBytes},
		IOsPerGet:  record.IOsPerGet{Mean: 1, CI95: &[2]float64{0.9, 1.1}, Steady: &steady},
		Components: record.Components(readpath.Reads{}, readpath.Accesses{Count: readpath.PerComponent{1, 1, 1, 1}}),
		Checks:     []readpath.Check{{Name: "regions", OK: ok}},
	}
	r.Continued = []record.Continuation{{IOsPerGet: r.IOsPerGet}}
	return r
}

// settling returns a run whose tree is settling.
func settling() *Run {
	r := NewRun()
	r.Identify(record.Engine{Name: "pebblev1", Version: "v1.1.5", Preset: "geth"}, record.Dataset{Path: "data/10m", Kind: "natural"})
	r.Load(load.Stage{Phase: load.PhaseLoad, Done: 10, Total: 10, Bytes: 1420})
	r.Load(load.Stage{Phase: load.PhaseSettle, Settling: engine.SettleProgress{CompactionsDone: 3, DebtBytes: 1 << 20}})
	return r
}

// full returns a run that has settled and is measuring.
func full() *Run {
	r := settling()
	r.Plan(2)
	r.Measure(stage(measure.PhaseMeasure, 0, 100, 100))
	r.Finish(result(true))
	return r
}

func TestPrometheusConventions(t *testing.T) {
	for _, r := range []*Run{settling(), full()} {
		problems, err := promlint.NewWithMetricFamilies(gathered(t, r)).Lint()
		require.NoError(t, err)
		for _, p := range problems {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// TestSettlingEnds checks that settling's gauges disappear afterwards and compactions stay counted.
func TestSettlingEnds(t *testing.T) {
	for name, next := range map[string]func(*Run){
		"measurement": func(r *Run) { r.Measure(stage(measure.PhaseWarmUp, 0, 1, 10)) },
		"update":      func(r *Run) { r.Load(load.Stage{Phase: load.PhaseUpdate, Done: 1, Total: 10}) },
	} {
		r := settling()
		before, _ := values(gathered(t, r))
		next(r)
		after, _ := values(gathered(t, r))
		for _, gauge := range []string{"getio_compactions_in_progress{}", "getio_compaction_debt_bytes{}"} {
			if _, there := before[gauge]; !there {
				t.Errorf("no %s while the tree settles", gauge)
			}
			if value, there := after[gauge]; there {
				t.Errorf("%s is %v during the %s", gauge, value, name)
			}
		}
		assert.EqualValues(t, 3, after["getio_compactions_total{}"], "compactions during the %s", name)
	}
}

func TestCompactionsAddUpOverDatabases(t *testing.T) {
	r := NewRun()
	settle := func(done int64) load.Stage {
		return load.Stage{Phase: load.PhaseSettle, Settling: engine.SettleProgress{CompactionsDone: done}}
	}
	update := load.Stage{Phase: load.PhaseUpdate, Done: 1}
	for i, turn := range []struct {
		stage load.Stage
		want  float64
	}{{settle(2), 2}, {settle(5), 5}, {update, 5}, {settle(1), 6}, {settle(7), 12}, {update, 12}, {settle(9), 21}, {settle(0), 21}} {
		r.Load(turn.stage)
		now, _ := values(gathered(t, r))
		assert.Equal(t, turn.want, now["getio_compactions_total{}"], "turn %d", i)
	}
}

// TestCountersAddUpOverParts checks that counters add up over the parts of a phase, and that
// figures are those of the current part.
func TestCountersAddUpOverParts(t *testing.T) {
	r := NewRun()
	total := of("getio_gets_total", cacheBytes, `phase="go on"`)
	rate := of("getio_gets_per_second", cacheBytes, `phase="go on"`)
	for _, turn := range []struct {
		part int
		done int64
		want float64
	}{{1, 10, 10}, {1, 30, 30}, {2, 10, 40}, {2, 50, 80}, {3, 60, 140}, {3, 5, 145}} {
		r.Measure(stage(measure.PhaseContinue, turn.part, turn.done, 100))
		now, _ := values(gathered(t, r))
		if now[total] != turn.want || now[rate] != 1 {
			t.Errorf("part %d, %d done: %v Gets in all, %v per second; want %v, 1", turn.part, turn.done, now[total], now[rate], turn.want)
		}
	}
}

func TestFailedChecksRemoveFigures(t *testing.T) {
	r := full()
	live := of("getio_ios_per_get", cacheBytes, `phase="measure"`)
	final := of("getio_result_ios_per_get", cacheBytes)
	before, _ := values(gathered(t, r))
	if before[live] != 1 || before[final] != 1 || before[of("getio_run_checks_failed", cacheBytes)] != 0 {
		t.Fatalf("missing before: %v", before)
	}
	r.Finish(result(false))
	after, _ := values(gathered(t, r))
	assert.EqualValues(t, 1, after[of("getio_run_checks_failed", cacheBytes)], "the failed check does not show")
	for name := range after {
		for _, figure := range []string{"ios_per_get", "hit_ratio", "_result_", "gets_per_second"} {
			assert.NotContains(t, name, figure)
		}
	}
	gets := of("getio_gets_total", cacheBytes, `phase="measure"`)
	assert.Equal(t, before[gets], after[gets], gets)
}

func TestSplitHasNoFigures(t *testing.T) {
	r := NewRun()
	r.Measure(stage(measure.PhaseSplit, 0, 10, 10))
	now, _ := values(gathered(t, r))
	assert.EqualValues(t, 10, now[of("getio_gets_total", cacheBytes, `phase="split"`)], "the Gets are not counted: %v", now)
	for name := range now {
		if strings.HasPrefix(name, "getio_ios_per_get") || strings.HasPrefix(name, "getio_hit_ratio") {
			t.Errorf("%s is exported", name)
		}
	}
}

func TestInvalidUTF8InPaths(t *testing.T) {
	r := full()
	r.Identify(record.Engine{}, record.Dataset{Path: "data/\xff\n\"10m"})
	for _, f := range fetch(t, serve(t, r)) {
		if f.GetName() != "getio_run_info" {
			continue
		}
		for _, l := range f.Metric[0].Label {
			if l.GetName() == "dataset" && l.GetValue() != "data/\uFFFD\n\"10m" {
				t.Errorf("dataset %q", l.GetValue())
			}
		}
		return
	}
	t.Error("no getio_run_info")
}
