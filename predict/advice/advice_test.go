package advice

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/load/growth"
	"getio/measure/database"
	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/record"
	"getio/workload"
)

var layout = lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}

// question asks about the tree that two million keys grow into.
func question(t *testing.T) Question {
	t.Helper()
	shape, err := growth.Shape(2_000_000, growth.BenchKVDB())
	require.NoError(t, err)
	shape = layout.EstimateShape(shape)
	tree, err := twin.NewTree(shape, twin.Options{Library: twin.PebbleV1, BlockBytes: layout.DataBlockBytes})
	require.NoError(t, err)
	return Question{
		Subject: twin.Subject{Source: "two million keys", Library: "pebblev1", Shape: shape, Tree: tree, Keys: workload.Keys{Seed: 1}, Reserved: 256 << 10},
		Layout:  layout, Shards: func(int64) int { return 4 }, Target: 1.1,
		Client: &database.Client{Floor: 512 << 10, Reserved: 256 << 10},
	}
}

func purpose(a *record.Advice, purpose string) *record.AdvisedCache {
	return reasoned(a.Caches, purpose)
}

// TestAdviceHolds: each advised cache does what the advice says when simulated alone.
func TestAdviceHolds(t *testing.T) {
	q := question(t)
	q.Present, q.Memory = 1<<20, 2<<20
	var last, most int64
	q.Progress = func(done, of int64) { last, most = done, of }
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	if last == 0 || last > most {
		t.Errorf("progress of %d of %d Gets", last, most)
	}
	for _, p := range []string{record.ReasonPresent, record.ReasonMemory, record.ReasonDouble, record.ReasonFilters, record.ReasonIndexes, record.ReasonTarget} {
		c := purpose(a, p)
		if c == nil {
			t.Errorf("no cache for %s", p)
			continue
		}
		predictions, err := twin.Plan{Gets: 200_000, Most: 1_200_000}.Predict(context.Background(), q.Tree, q.Keys, []twin.Cache{q.cache(c.Cache.Bytes)}, nil)
		require.NoError(t, err)
		alone := q.Advised(&predictions[0])
		if off := alone.IOsPerGet.Predicted/c.IOsPerGet.Predicted - 1; math.Abs(off) > 0.02 {
			t.Errorf("%s: %d bytes make %.4f I/Os per Get, not %.4f", p, c.Cache.Bytes, alone.IOsPerGet.Predicted, c.IOsPerGet.Predicted)
		}
		if c.GethCacheMiB != 0 || c.IOsPerGet.Error != nil || c.BytesPerGet == nil {
			t.Errorf("%s: %+v", p, c)
		}
	}
	assert.Contains(t, purpose(a, record.ReasonMemory).Reasons, record.ReasonDouble)
	assert.Nil(t, purpose(a, record.ReasonWorth), "there is a target")
	if target := purpose(a, record.ReasonTarget); math.Abs(target.IOsPerGet.Predicted-1.1) > 1e-6 {
		t.Errorf("the target is met with %.4f I/Os per Get", target.IOsPerGet.Predicted)
	}
	assert.True(t, slices.IsSortedFunc(a.Caches, func(a, b *record.AdvisedCache) int { return int(a.Cache.Bytes - b.Cache.Bytes) }), "caches are out of order")
	assert.Nil(t, a.Trial)
}

// TestAnswers: what is worth it is nine tenths of what the largest cache saves, as far as --memory allows.
func TestAnswers(t *testing.T) {
	cache := func(bytes int64, ios float64, reasons ...string) *record.AdvisedCache {
		return &record.AdvisedCache{Reasons: reasons, Cache: record.PredictedCache{Bytes: bytes}, IOsPerGet: record.AdvisedIOs{Predicted: ios}}
	}
	const present, memory, worth, target = record.ReasonPresent, record.ReasonMemory, record.ReasonWorth, record.ReasonTarget
	for name, c := range map[string]struct {
		caches       []*record.AdvisedCache
		target       float64
		bytes        int64
		keep, missed bool
	}{
		"a larger one":              {[]*record.AdvisedCache{cache(1, 1, present), cache(5, 0.1, worth)}, 0, 5, false, false},
		"the present one is larger": {[]*record.AdvisedCache{cache(5, 0.1, worth), cache(8, 0.1, present)}, 0, 8, true, false},
		"too little is saved":       {[]*record.AdvisedCache{cache(5, 0.014, present), cache(8, 0.010, worth)}, 0, 5, true, false},
		"a small share is saved":    {[]*record.AdvisedCache{cache(5, 2, present), cache(8, 1.95, worth)}, 0, 5, true, false},
		"memory is short":           {[]*record.AdvisedCache{cache(1, 1, present), cache(3, 0.5, memory), cache(5, 0.1, worth)}, 0, 3, false, true},
		"memory is not needed":      {[]*record.AdvisedCache{cache(1, 1, present), cache(3, 0.1, worth), cache(5, 0.1, memory)}, 0, 3, false, false},
		"a target":                  {[]*record.AdvisedCache{cache(1, 1, present), cache(3, 0.5, target)}, 0.5, 3, false, false},
		"a target out of reach":     {[]*record.AdvisedCache{cache(1, 1, present), cache(4, 0.9, record.ReasonMost)}, 0.5, 4, false, true},
	} {
		a := (&Question{Target: c.target}).answer(c.caches)
		assert.Equal(t, c.bytes, a.CacheBytes, name)
		assert.Equal(t, c.keep, a.Keep, name)
		assert.Equal(t, c.missed, a.Missed, name)
		assert.Equal(t, c.caches[slices.IndexFunc(c.caches, func(x *record.AdvisedCache) bool { return x.Cache.Bytes == c.bytes })].IOsPerGet.Predicted, a.Then, name)
	}
}

// TestWorth: without a target, the advised cache saves nine tenths of what the largest one of the machine does.
func TestWorth(t *testing.T) {
	q := question(t)
	q.Target, q.Present, q.MachineSize = 0, 1<<20, 64<<20
	a, err := Advise(t.Context(), q)
	require.NoError(t, err)
	now, then := purpose(a, record.ReasonPresent).IOsPerGet.Predicted, purpose(a, record.ReasonWorth)
	largest := q.simulated(t, 64<<20)
	assert.InEpsilon(t, now-0.9*(now-largest), then.IOsPerGet.Predicted, 0.02)
	assert.Equal(t, then.Cache.Bytes, a.Answer.CacheBytes)
	assert.Equal(t, now, *a.Answer.Now)
	assert.False(t, a.Answer.Keep)
}

// simulated returns the steady I/Os per Get with a cache.
func (q *Question) simulated(t *testing.T, bytes int64) float64 {
	caches, err := q.simulate(t.Context(), []int64{bytes})
	require.NoError(t, err)
	return caches[0].IOsPerGet.Predicted
}

// TestTrusted: figures that were only computed are shown only if those beside measured ones are right.
func TestTrusted(t *testing.T) {
	for name, c := range map[string]struct {
		measured float64
		interval *[2]float64
		kept     int
	}{
		"right":            {0.5, nil, 2},
		"3% off":           {0.486, nil, 2},
		"4% off":           {0.481, nil, 1},
		"within chance":    {0.45, &[2]float64{0.41, 0.49}, 2},
		"nothing measured": {0, nil, 2},
	} {
		ios := record.AdvisedIOs{Predicted: 0.5, MeasuredCI95: c.interval}
		if c.measured > 0 {
			ios.Measured = &c.measured
		}
		caches := trusted([]*record.AdvisedCache{{IOsPerGet: ios}, {IOsPerGet: record.AdvisedIOs{Predicted: 0.3}}})
		assert.Len(t, caches, c.kept, name)
		if c.measured > 0 {
			assert.InDelta(t, 0.5/c.measured-1, *caches[0].IOsPerGet.Error, 1e-9, name)
		}
	}
}

func TestChanges(t *testing.T) {
	q := question(t)
	q.Present = 3 << 20
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	room := q.Present - q.Reserved
	filtered, err := twin.NewTree(q.Shape, twin.Options{Library: twin.PebbleV1, BlockBytes: layout.DataBlockBytes, LastLevelFilter: true})
	require.NoError(t, err)
	large := layout
	large.BlockBytes = 16 << 10
	blocks, err := twin.NewTree(layout.Reformat(q.Shape, &large), twin.Options{Library: twin.PebbleV1, BlockBytes: large.DataBlockBytes})
	require.NoError(t, err)
	for i, want := range []record.Change{
		{What: "last_level_filter=on", Keys: "existing", Now: twin.NewSteady(q.Tree, 0).IOsPerGet(room), Then: twin.NewSteady(filtered, 0).IOsPerGet(room)},
		{What: "last_level_filter=on", Keys: "absent", Now: twin.NewSteady(q.Tree, 1).IOsPerGet(room), Then: twin.NewSteady(filtered, 1).IOsPerGet(room)},
		{What: "block_size=16KiB", Keys: "existing", Now: twin.NewSteady(q.Tree, 0).IOsPerGet(room), Then: twin.NewSteady(blocks, 0).IOsPerGet(room)},
	} {
		got := a.Changes[i]
		if got.What != want.What || got.Keys != want.Keys || math.Abs(got.Now-want.Now) > 1e-9 || math.Abs(got.Then-want.Then) > 1e-9 || got.CacheBytes != q.Present {
			t.Errorf("%+v, expected %+v", got, want)
		}
		switch {
		case got.Keys == record.KeysAbsent && got.Error != nil:
			t.Errorf("%s: an error that was not looked at: %v", got.What, *got.Error)
		case got.Keys == record.KeysExisting && (got.Error == nil || *got.Error < 0 || *got.Error > 0.1):
			t.Errorf("%s: error %v", got.What, got.Error)
		}
	}
	if absent := a.Changes[1]; absent.Then > 0.2*absent.Now {
		t.Errorf("filters of the last level leave %.3f of %.3f I/Os per Get of absent keys", absent.Then, absent.Now)
	}
}

func TestWaste(t *testing.T) {
	q := question(t)
	q.OpenFiles = q.Shape.Total().Tables - 3
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	waste := map[string]*record.Waste{}
	for _, w := range a.Waste {
		waste[w.What] = w
	}
	if w := waste[record.WasteFilters]; w == nil || w.Amount != q.Shape.Levels[len(q.Shape.Levels)-1].FilterBytes || w.IOsPerGet != nil {
		t.Errorf("filters: %+v", w)
	}
	if w := waste[record.WasteHandles]; w == nil || w.Amount != 3 || !(*w.IOsPerGet > 0 && *w.IOsPerGet < 1) {
		t.Errorf("handles: %+v", w)
	}
	if w := waste[record.WasteLevel0]; w == nil || w.Amount != 1 || !(*w.IOsPerGet >= 0 && *w.IOsPerGet < 0.5) {
		t.Errorf("L0: %+v", w)
	}
	for name, change := range map[string]func(*Question){
		"another library's opening": func(q *Question) { q.Library = "goleveldb" },
		"an unknown number":         func(q *Question) { q.OpenFiles = 0 },
	} {
		q := q
		change(&q)
		a, err = Advise(context.Background(), q)
		require.NoError(t, err)
		if slices.ContainsFunc(a.Waste, func(w *record.Waste) bool { return w.What == record.WasteHandles }) {
			t.Errorf("handles are wasted with %s", name)
		}
	}
}

// TestCacheOfTheWholeTree: nothing is read, so there is no relative error.
func TestCacheOfTheWholeTree(t *testing.T) {
	q := question(t)
	q.Present = 1 << 30
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	if ios := purpose(a, record.ReasonPresent).IOsPerGet.Predicted; ios > 0.01 {
		t.Errorf("%.4f I/Os per Get", ios)
	}
	_, err = json.Marshal(a)
	assert.NoError(t, err)
}

func TestFloor(t *testing.T) {
	q := question(t)
	q.Client.Floor = 3 << 20
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	for _, c := range a.Caches {
		assert.GreaterOrEqual(t, c.Cache.Bytes, q.Client.Floor, c.Reasons)
	}
	if len(a.Caches) == 0 || len(purpose(a, record.ReasonFilters).Reasons) < 2 {
		t.Errorf("%+v", a.Caches)
	}
}

func TestImpossibleQuestions(t *testing.T) {
	for want, spoil := range map[string]func(*Question){
		"invalid target of NaN":   func(q *Question) { q.Target = math.NaN() },
		"invalid target of -1":    func(q *Question) { q.Target = -1 },
		"invalid target of +Inf":  func(q *Question) { q.Target = math.Inf(1) },
		"100 B leaves hardly any": func(q *Question) { q.Memory = 100 },
		"200 B leaves hardly any": func(q *Question) { q.Present = 200 },
	} {
		q := question(t)
		spoil(&q)
		_, err := Advise(context.Background(), q)
		assert.ErrorContains(t, err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Advise(ctx, question(t)); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLargeCachesAreSampled(t *testing.T) {
	q := question(t)
	if c := q.cache(4 << 30); c.Shards != 128 || c.Sampled != 8 || c.Policy != cachesim.NameClockPro {
		t.Errorf("%+v", c)
	}
	if c := q.cache(1 << 20); c.Shards != 4 || c.Sampled != 4 || c.Bytes != 768<<10 {
		t.Errorf("%+v", c)
	}
}

func TestInterpolate(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	gets := func(n int64) *int64 { return &n }
	of := func(bytes int64, ios float64, steady *int64) *record.AdvisedCache {
		return &record.AdvisedCache{
			Reasons: []string{"x"}, Cache: record.PredictedCache{Bytes: bytes}, IOsPerGet: record.AdvisedIOs{Predicted: ios}, GetsToSteady: steady,
			BytesPerGet: number(1000 * ios), Components: map[string]record.PredictedComponent{"index": record.NewPredictedComponent(1, ios-1)},
		}
	}
	a, b := of(100, 2, gets(70)), of(200, 1.2, gets(50))
	c := interpolate(a, b, 0.25)
	if c.Cache.Bytes != 125 || math.Abs(c.IOsPerGet.Predicted-1.8) > 1e-9 || math.Abs(*c.BytesPerGet-1800) > 1e-9 || *c.GetsToSteady != 70 || c.Reasons != nil {
		t.Errorf("%+v", c)
	}
	if i := c.Components["index"]; math.Abs(i.Misses-0.8) > 1e-9 || math.Abs(*i.HitRate-0.2) > 1e-9 {
		t.Errorf("%+v", i)
	}
	if *b.BytesPerGet != 1200 || b.Cache.Bytes != 200 || len(b.Reasons) != 1 {
		t.Errorf("the larger one was changed: %+v", b)
	}
	b.GetsToSteady = gets(90)
	assert.EqualValues(t, 90, *interpolate(a, b, 0.5).GetsToSteady)
	a.GetsToSteady = nil
	if c := interpolate(a, b, 0.5); c.GetsToSteady != nil {
		t.Errorf("steady after %d", *c.GetsToSteady)
	}
}
