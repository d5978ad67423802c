package twin

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/predict/cachesim"
	"getio/workload"
)

// TestPredict: caches with room for hardly anything, for the indexes, and for everything.
func TestPredict(t *testing.T) {
	tree := newTree(t, manyTables(), plainV1)
	caches := []Cache{
		{cachesim.NameClockPro, 100_000, 1, 1},
		{cachesim.NameClockPro, 300_000, 1, 1},
		{cachesim.NameLRU, 100 << 20, 1, 1},
	}
	var last int64
	plan := Plan{Warmup: 30_000, Gets: 60_000, Most: 2_000_000}
	predictions, err := plan.Predict(context.Background(), tree, workload.Keys{Seed: 1}, caches, func(done int64) { last = done })
	require.NoError(t, err)
	best := NewSteady(tree, 0)
	// With a cache that holds hardly anything, seeds give 1.25 to 1.27 times the least.
	most := []float64{1.29, 1.25, 1.25}
	for i, p := range predictions {
		ios := p.Window.IOsPerGet()
		assert.Equal(t, plan.Gets, p.Window.Gets)
		if sum := p.Causes.Compulsory + p.Causes.Capacity + p.Causes.Policy; math.Abs(sum-ios) > 1e-9 {
			t.Errorf("cache %d: causes of %.4f I/Os per Get add up to %.4f", i, ios, sum)
		}
		if p.GetsToSteady == 0 || p.GetsToSteady > last {
			t.Errorf("cache %d: steady after %d of %d Gets", i, p.GetsToSteady, last)
		}
		steady := p.Last.IOsPerGet()
		if least := best.IOsPerGet(p.Cache.Bytes); steady < least-0.01 || steady > most[i]*least+0.01 {
			t.Errorf("cache %d: steady at %.4f I/Os per Get, the least is %.4f", i, steady, least)
		}
	}
	// All 3330 data blocks are known after 30,000 Gets, but for a few.
	if all := &predictions[2]; all.Window.IOsPerGet() > 0.01 || all.Causes.Compulsory != all.Window.IOsPerGet() {
		t.Errorf("a cache that holds everything makes %.4f I/Os per Get; %.4f are compulsory", all.Window.IOsPerGet(), all.Causes.Compulsory)
	}
}

func TestPredictWithoutSteadyState(t *testing.T) {
	tree := newTree(t, manyTables(), plainV1)
	var last int64
	p, err := Plan{Warmup: 100, Gets: 1000}.Predict(context.Background(), tree, workload.Keys{}, []Cache{{cachesim.NameClockPro, 1 << 20, 1, 1}}, func(done int64) { last = done })
	require.NoError(t, err)
	if last != 1100 || p[0].GetsToSteady != 0 || p[0].Last.Gets == 0 {
		t.Errorf("after %d Gets: %+v", last, p[0])
	}
	if p[0].Window.Accesses[readpath.Data] < 1000 {
		t.Errorf("%d accesses of data blocks", p[0].Window.Accesses[readpath.Data])
	}
}

func TestPredictIsCancelled(t *testing.T) {
	tree := newTree(t, manyTables(), plainV1)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Plan{Gets: 1 << 40}.Predict(ctx, tree, workload.Keys{}, []Cache{{cachesim.NameClockPro, 1 << 20, 1, 1}}, func(int64) { cancel() })
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// TestSampledShards: a sample agrees with all shards within its standard error.
func TestSampledShards(t *testing.T) {
	tree := newTree(t, publishedShape(t, "small"), publishedV1)
	var caches []Cache
	for _, sampled := range []int{16, 128} {
		caches = append(caches, Cache{cachesim.NameClockPro, 100 << 20, 128, sampled})
	}
	p, err := Plan{Warmup: 300_000, Gets: 300_000}.Predict(context.Background(), tree, workload.Keys{Seed: 2}, caches, nil)
	require.NoError(t, err)
	part, all := &p[0].Window, &p[1].Window
	off := part.IOsPerGet() - all.IOsPerGet()
	if se := part.MissError / float64(part.Gets); math.Abs(off) > 4*se || se > 0.02*all.IOsPerGet() {
		t.Errorf("16 of 128 shards: %.4f ± %.4f I/Os per Get, all: %.4f", part.IOsPerGet(), se, all.IOsPerGet())
	}
	// The sums of 16 and of 128 shards, scaled up, and that of the database's own 128.
	want := math.Sqrt((1.0/128 + 1.0/128) / (1.0/16 + 1.0/128))
	assert.InEpsilon(t, want, all.MissError/part.MissError, 0.5)
}

func TestCrowdedCachesAreNotSampled(t *testing.T) {
	tree := newTree(t, threeRuns(), plainV1)
	const upper = 6*50 + 3*12_505
	for bytes, want := range map[int64]int{upper: 128, upper + upper/2 - 1: 128, upper + upper/2 + 1: 8} {
		if c := tree.Sample(Cache{cachesim.NameClockPro, bytes, 128, 0}, 8); c.Sampled != want || c.Shards != 128 || c.Bytes != bytes {
			t.Errorf("%d bytes: %+v", bytes, c)
		}
	}
	assert.Equal(t, 4, tree.Sample(Cache{cachesim.NameClockPro, 1 << 30, 4, 0}, 8).Sampled)
}
