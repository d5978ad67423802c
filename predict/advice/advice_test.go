package advice

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/geth"
	"getio/engine/lsm"
	"getio/load/growth"
	"getio/numbers/interval"
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
	}
}

func purpose(a *record.Advice, purpose string) *record.AdvisedCache {
	i := slices.IndexFunc(a.Caches, func(c *record.AdvisedCache) bool { return slices.Contains(c.Reasons, purpose) })
	if i < 0 {
		return nil
	}
	return a.Caches[i]
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
	assert.EqualValues(t, 4<<20, purpose(a, record.ReasonDouble).Cache.Bytes)
	if target := purpose(a, record.ReasonTarget); math.Abs(target.IOsPerGet.Predicted-1.1) > 1e-6 {
		t.Errorf("the target is met with %.4f I/Os per Get", target.IOsPerGet.Predicted)
	}
	assert.True(t, slices.IsSortedFunc(a.Caches, func(a, b *record.AdvisedCache) int { return int(a.Cache.Bytes - b.Cache.Bytes) }), "caches are out of order")
	assert.Nil(t, a.Trial)
}

// TestTrialSetsTheError: the database's Gets read twice what is predicted.
func TestTrialSetsTheError(t *testing.T) {
	q := question(t)
	q.Geth = true
	want := record.AdviceTrial{WarmupGets: 1000, Gets: 20_000, Seed: 7}
	q.Trial = &Trial{AdviceTrial: want, IOsPerGet: func(ctx context.Context, caches []twin.Cache) (ios []interval.Estimate, err error) {
		predictions, err := twin.Plan{Warmup: 1000, Gets: 20_000}.Predict(ctx, q.Tree, q.Keys, caches, nil)
		for i := range predictions {
			ios = append(ios, interval.Estimate{Mean: 2 * predictions[i].Window.IOsPerGet(), Error: 0.01, Freedom: 1e9})
		}
		return ios, err
	}}
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	assert.Equal(t, want, *a.Trial, "trial %+v", a.Trial)
	for _, c := range a.Caches {
		if e := c.IOsPerGet.Error; e == nil || math.Abs(*e+0.5) > 1e-9 {
			t.Errorf("%d bytes: error %v", c.Cache.Bytes, e)
		} else {
			assert.InEpsilon(t, math.Sqrt2*1.96*0.01/(2*c.IOsPerGet.Predicted), *c.IOsPerGet.ErrorHalf, 0.2, "the prediction has as many Gets")
		}
		assert.NotZero(t, c.GethCacheMiB, "%d bytes: no --cache", c.Cache.Bytes)
	}
	if purpose(a, record.ReasonPresent) != nil || purpose(a, record.ReasonMemory) != nil || purpose(a, record.ReasonDouble) != nil {
		t.Error("caches that the question does not name")
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
	q.Floor = 3 << 20
	a, err := Advise(context.Background(), q)
	require.NoError(t, err)
	for _, c := range a.Caches {
		assert.GreaterOrEqual(t, c.Cache.Bytes, q.Floor, c.Reasons)
	}
	if len(a.Caches) == 0 || len(purpose(a, record.ReasonFilters).Reasons) < 2 {
		t.Errorf("%+v", a.Caches)
	}
}

func TestImpossibleQuestions(t *testing.T) {
	for want, spoil := range map[string]func(*Question){
		"invalid target of NaN":  func(q *Question) { q.Target = math.NaN() },
		"invalid target of 0":    func(q *Question) { q.Target = 0 },
		"invalid target of +Inf": func(q *Question) { q.Target = math.Inf(1) },
		"100 B has hardly any":   func(q *Question) { q.Memory = 100 },
		"200 B has hardly any":   func(q *Question) { q.Present = 200 },
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

// TestGethFlagsOfFirstMemtable: a geth that still writes to the memtable that it began with leaves nearly all of
// Pebble's cache to blocks.
func TestGethFlagsOfFirstMemtable(t *testing.T) {
	f, possible := geth.FlagsOf((&Question{FirstMemtable: true}).gethStore(93<<20), 0)
	assert.True(t, possible)
	assert.Equal(t, geth.Flags{Cache: 190, Database: 50}, f)
}
