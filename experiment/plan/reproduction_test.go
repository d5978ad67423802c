package plan

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/experiment/cell"
	"getio/experiment/reproduce"
	"getio/workload"
)

// small is a reproduction of the small database, which is not there yet, with one cache.
func small(t *testing.T) reproduce.Plan {
	t.Helper()
	return reproduce.Plan{Dir: t.TempDir(), Caches: []int64{45 << 20}, Gets: 1_000_000, MoreRuns: 3, Engines: engines.All(), Workers: 2}
}

// on returns the plan of a machine whose making and Gets take so much longer than on the reference.
func on(t *testing.T, p reproduce.Plan, making, get int) []cell.Cell {
	t.Helper()
	planned, err := Reproduction(t.Context(), "small", p, func(context.Context, engine.Registry) (Calibration, error) {
		return Calibration{Making: reference.Making * time.Duration(making), Get: reference.Get * time.Duration(get)}, nil
	})
	require.NoError(t, err)
	return planned.Cells
}

// TestPredictionKnowsTheMachine: making and Gets each take as much longer as they did in the calibration.
func TestPredictionKnowsTheMachine(t *testing.T) {
	p := small(t)
	fast, slow := on(t, p, 1, 1)[0].Predicted, on(t, p, 2, 2)[0].Predicted
	making := 200e6 * makingMicroseconds / 1e6
	for i, runs := range []float64{1, 4} {
		assert.InEpsilon(t, making+onceSeconds+(0.1+runs)*36, fast.CPUSeconds[i], 1e-9)
		assert.InEpsilon(t, 2*fast.CPUSeconds[i], slow.CPUSeconds[i], 1e-9)
		assert.InEpsilon(t, 2*fast.Hours[i], slow.Hours[i], 1e-9)
		assert.InEpsilon(t, fast.CPUSeconds[i]+making, on(t, p, 2, 1)[0].Predicted.CPUSeconds[i], 1e-9, "only making is slower")
	}
	assert.Equal(t, fast.MemoryBytes, slow.MemoryBytes)
	assert.Equal(t, fast.DiskBytes, slow.DiskBytes)
	assert.Equal(t, basis, slow.Basis)
}

// TestGetsDoNotKeepAllProcessorsBusy: two processors take longer than half the processor time, and one takes all of it.
func TestGetsDoNotKeepAllProcessorsBusy(t *testing.T) {
	c := &cell.Cell{CacheBytes: 45 << 20}
	c.Workload.Gets, c.Workload.Workers = 1e6, 1
	one := reference.predict(c, "small", 200e6)
	assert.Equal(t, 1, one.Processors)
	assert.InEpsilon(t, one.CPUSeconds[0]/3600, one.Hours[0], 1e-9)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	c.Workload.Workers = 64
	many := reference.predict(c, "small", 200e6)
	assert.Equal(t, 2, many.Processors)
	making := 200e6 * makingMicroseconds / 1e6
	assert.InEpsilon(t, making/2+(many.CPUSeconds[0]-making)/1.7, many.Hours[0]*3600, 1e-9)
}

// TestReferenceOfLarge: with the calibration of the reference, a prediction is what the constants say.
func TestReferenceOfLarge(t *testing.T) {
	c := &cell.Cell{CacheBytes: 18000 << 20}
	c.Workload.Gets, c.Workload.Warmup, c.Workload.MoreRuns, c.Workload.Workers = 10e6, workload.WarmupOneIn(2000), 3, 1
	p := reference.predict(c, "large", 20e9)
	assert.InEpsilonSlice(t, []float64{2400 + 8 + 2000, 2400 + 8 + 5000}, p.CPUSeconds[:], 1e-9)
	assert.EqualValues(t, 16e9, p.DiskBytes)
}

// TestCalibration: both parts take time, and nothing is left behind, also if it was interrupted or had no room.
func TestCalibration(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	c, err := Calibrate(t.Context(), engines.All())
	require.NoError(t, err)
	assert.Positive(t, c.Making)
	assert.Positive(t, c.Get)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Calibrate(ctx, engines.All())
	assert.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
	t.Setenv("TMPDIR", temp+"/none")
	_, err = Calibrate(t.Context(), engines.All())
	assert.ErrorContains(t, err, "cannot measure how fast this machine is in ")
	assert.ErrorContains(t, err, "set TMPDIR")

	failed := errors.New("failed")
	_, err = Reproduction(t.Context(), "small", small(t), func(context.Context, engine.Registry) (Calibration, error) { return c, failed })
	assert.ErrorIs(t, err, failed)
}
