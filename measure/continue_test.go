package measure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/record"
	"getio/workload"
)

// fallingUntil returns the reads with a cache that fills during the first rest Gets: they fall from
// 1.5 per Get to 1.
func fallingUntil(rest int64) func(n int64) int64 {
	return func(n int64) int64 {
		if n < rest && n%100 < 50*(rest-n)/rest {
			return 2
		}
		return 1
	}
}

func TestContinuesUntilSteady(t *testing.T) {
	skipShort(t)
	const gets, warmup = 400_000, 1_000
	s := newFakeStore(fallingUntil(600_000))
	r, err := measureFake(s, Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: 1, MoreRuns: 5}})
	require.NoError(t, err)
	if *r.IOsPerGet.Steady || !r.EndsSteady() || len(r.Continued) != 2 {
		t.Fatalf("steady %v at first, %v after %d more runs", *r.IOsPerGet.Steady, r.EndsSteady(), len(r.Continued))
	}
	for i, c := range r.Continued {
		if c.Gets != gets || c.GetsBefore != warmup+int64(i+1)*gets || len(c.IOsPerGet.Windows) != measuredWindows || c.IOsPerGet.CI95 == nil {
			t.Errorf("run %d: %+v", i+1, c)
		}
		if index := c.Components["index"]; *index.Accesses != gets || index.Split != record.SplitEstimated || c.Cached == nil {
			t.Errorf("run %d: index %+v", i+1, index)
		}
	}
	if last := r.Continued[1]; last.IOsPerGet.Mean != 1 || last.Components["data"].Misses != gets {
		t.Errorf("the last run made %v I/Os per Get", last.IOsPerGet.Mean)
	}
	if r.Workload.Gets != gets || r.IOsPerGet.Mean < 1.1 {
		t.Errorf("the first run's figures include later runs: %+v", r.IOsPerGet)
	}
}

func TestContinuesAtMostMoreRuns(t *testing.T) {
	skipShort(t)
	for name, c := range map[string]struct {
		reads func(int64) int64
		goOn  int
		want  int
	}{
		"not allowed to":  {fallingUntil(1_000_000), 0, 0},
		"never steady":    {fallingUntil(1_000_000), 2, 2},
		"steady at first": {one, 3, 0},
	} {
		r, err := measureFake(newFakeStore(c.reads), Options{Workload: workload.Workload{Gets: 200_000, Warmup: workload.WarmupGets(0), Workers: 2, MoreRuns: c.goOn}})
		require.NoError(t, err)
		assert.Len(t, r.Continued, c.want, name)
	}
}

// TestContinuesAfterTooFewGets: one run is too short to judge steadiness, two are not.
func TestContinuesAfterTooFewGets(t *testing.T) {
	r, err := measureFake(newFakeStore(one), Options{Workload: workload.Workload{Gets: 60_000, Warmup: workload.WarmupGets(0), Workers: 2, MoreRuns: 3}})
	require.NoError(t, err)
	if c := r.Continued[0]; len(c.BytesWindows) != measuredWindows || len(c.Components["data"].Windows) != measuredWindows {
		t.Errorf("windows of the continued run: %+v", c)
	}
	if r.IOsPerGet.Steady != nil || len(r.Continued) != 1 || !r.EndsSteady() {
		t.Errorf("steady %v, then %+v", r.IOsPerGet.Steady, r.Continued)
	}
}

func TestContinuedRunsAreChecked(t *testing.T) {
	s := newFakeStore(fallingUntil(1_000_000))
	s.get = func(n int64, _ []byte) (bool, error) {
		if n == 300_000 {
			s.checks = []readpath.Check{{Name: "regions"}}
		}
		return true, nil
	}
	r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 200_000, Warmup: workload.WarmupGets(0), Workers: 1, MoreRuns: 1}, Counted: Counted{NoSplit: true}})
	if err != nil || r.Checks.Hold() {
		t.Fatalf("believable %v, error %v", r.Checks.Hold(), err)
	}
	if failed := r.Checks.Failed(); len(failed) != 1 || !strings.HasPrefix(failed[0].Name, "continued_1_") {
		t.Errorf("%+v", failed)
	}
}

func TestContinuedRunEndsAtTheFirstWrongGet(t *testing.T) {
	s := newFakeStore(fallingUntil(1_000_000))
	s.get = func(n int64, _ []byte) (bool, error) { return n != 250_000, nil }
	r, err := measureFake(s, Options{Workload: workload.Workload{Gets: 200_000, Warmup: workload.WarmupGets(0), Workers: 3, MoreRuns: 1}})
	if err == nil || r != nil {
		t.Errorf("result %v, error %v", r, err)
	}
}

func TestLastWindows(t *testing.T) {
	windows := make([]steady.Window, 40)
	for i := range windows {
		windows[i].Gets = 500
	}
	for _, c := range []struct{ all, own, minGets, want int }{
		{20, 20, 100, 20},
		{40, 20, 100, 20},
		{40, 20, 2_000, 20},
		{40, 20, 2_001, 25},
		{40, 20, 4_000, 40},
		{40, 20, 9_000, 40},
		{30, 20, 4_000, 30},
	} {
		assert.Equal(t, c.want, len(steady.Last(windows[:c.all], c.own, int64(c.minGets))), c)
	}
}
