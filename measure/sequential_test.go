package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/record"
	"getio/workload"
)

// sequentialGets are options without a number of Gets.
func sequentialGets() Options {
	return Options{Workload: workload.Workload{Warmup: workload.WarmupGets(0), Workers: 1}, Counted: Counted{NoSplit: true}}
}

// TestKnownAtOnce: without any noise, the first look at the windows tells.
func TestKnownAtOnce(t *testing.T) {
	s := newFakeStore(func(n int64) int64 { return 1 + n%2 })
	r, err := measureUniform(s, sequentialGets())
	require.NoError(t, err)
	assert.EqualValues(t, 100_000, r.Workload.Gets)
	assert.Equal(t, record.GetsAuto, r.Workload.GetsRule)
	assert.Equal(t, record.EndedByVerdict, r.IOsPerGet.EndedBy)
	assert.True(t, r.IOsPerGet.IsSteady())
	assert.InDelta(t, 1.5, r.IOsPerGet.Mean, 1e-9)
	assert.Len(t, r.IOsPerGet.Windows, 20)
	assert.NotNil(t, r.IOsPerGet.DriftCI95)
	assert.Empty(t, r.Warnings)
}

// TestDriftBecomesWarmup: while reads fall the windows are not counted, and those that follow are.
func TestDriftBecomesWarmup(t *testing.T) {
	s := newFakeStore(func(n int64) int64 { return max(1, 10-n/10_000) })
	r, err := measureUniform(s, sequentialGets())
	require.NoError(t, err)
	assert.EqualValues(t, 100_000, r.Workload.WarmupGets)
	assert.EqualValues(t, 100_000, r.Workload.Gets)
	assert.InDelta(t, 1, r.IOsPerGet.Mean, 1e-9)
	assert.True(t, r.IOsPerGet.IsSteady())
}

// TestLimitOfGets: a run that never becomes steady ends, and says so.
func TestLimitOfGets(t *testing.T) {
	skipShort(t)
	s := newFakeStore(func(n int64) int64 { return 1 + n/20_000 })
	r, err := measureUniform(s, sequentialGets())
	require.NoError(t, err)
	assert.Equal(t, new(false), r.IOsPerGet.Steady)
	assert.LessOrEqual(t, r.Workload.WarmupGets+r.Workload.Gets, 2*DefaultGets(s.shape))
}

// TestTimeIsUp: a run whose time is over when it begins makes two windows, the fewest that have an interval.
func TestTimeIsUp(t *testing.T) {
	s := newFakeStore(func(n int64) int64 { return 1 + n%2 })
	o := sequentialGets()
	o.Warmup, o.Until = workload.AutoWarmup, time.Now().Add(-time.Second)
	r, err := measureUniform(s, o)
	require.NoError(t, err)
	assert.Equal(t, record.EndedByTime, r.IOsPerGet.EndedBy)
	assert.EqualValues(t, 10_000, r.Workload.Gets)
	assert.Nil(t, r.IOsPerGet.Steady)
	assert.NotNil(t, r.IOsPerGet.CI95)
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "time was up after 10000 Gets")
}

// TestRepeatingEndsInTime: with ExactSplit, measuring stops early enough to repeat the Gets.
func TestRepeatingEndsInTime(t *testing.T) {
	r := run{bounds: bounds{measured: time.Now().Add(time.Hour)}}
	assert.False(t, r.isLast(5000, 1000, time.Minute))
	assert.True(t, r.isLast(5000, 1000, 2*time.Hour))
	r.bounds.repeated = time.Second
	assert.False(t, r.isLast(1000, 1000, time.Minute))
	assert.True(t, r.isLast(3000, 1000, time.Minute))

	for _, c := range []struct {
		until time.Time
		opens int64 // to measure, to try how long a repeated Get takes, and to repeat
	}{{time.Time{}, 2}, {time.Now().Add(time.Hour), 3}} {
		s := newFakeStore(func(n int64) int64 { return 1 + n%2 })
		o := sequentialGets()
		o.ExactSplit, o.Until = true, c.until
		_, err := measureUniform(s, o)
		require.NoError(t, err)
		assert.Equal(t, c.opens, s.opens.Load())
	}
}

// TestGivenGetsAreAll: a number of Gets is made whatever they show.
func TestGivenGetsAreAll(t *testing.T) {
	s := newFakeStore(func(n int64) int64 { return 1 + n%2 })
	o := sequentialGets()
	o.Gets = 3000
	r, err := measureUniform(s, o)
	require.NoError(t, err)
	assert.EqualValues(t, 3000, r.Workload.Gets)
	assert.Empty(t, r.Workload.GetsRule)
	assert.Empty(t, r.IOsPerGet.EndedBy)
}

// TestWindowsOfLargeTrees: four windows have as many Gets as there are index blocks, or 20,000.
func TestWindowsOfLargeTrees(t *testing.T) {
	s := newFakeStore(func(int64) int64 { return 1 })
	assert.EqualValues(t, 5000, newPlan(s.shape, sequentialGets()).ends.window)
	s.shape = lsm.NewShape([lsm.NumLevels][]lsm.Table{6: {{Records: 1 << 20, DataBlocks: 1 << 20, IndexBlocks: 99_999}}})
	assert.EqualValues(t, 25_000, newPlan(s.shape, sequentialGets()).ends.window)
}
