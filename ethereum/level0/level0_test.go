package level0

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chainload"
	"getio/internal/enginetest"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/record"
	"getio/system/tempdir"
)

// usual is the plan of a chain of a few MiB.
var usual = record.ChainPlan{Accounts: 2000, Contracts: 0.1, Slots: 5, Blocks: 400, Txs: 20, Scheme: rawdb.PathScheme, Seed: 2}

// small is a plan whose blocks all fit LevelDB's pooled buffers.
var small = record.ChainPlan{Accounts: 500, Slots: 5, Blocks: 150, Txs: 20, Scheme: rawdb.PathScheme, Seed: 2}

// chains holds the chains that tests share, by engine and plan. They are only read.
var chains = struct {
	dir  string
	made map[string]*record.ChainMade
}{made: map[string]*record.ChainMade{}}

func TestMain(m *testing.M) {
	enginetest.InMemory()
	code := m.Run()
	os.RemoveAll(chains.dir)
	os.Exit(code)
}

// runOn returns a run on a chain with an empty L0.
func runOn(t *testing.T, e engine.Engine, plan record.ChainPlan) *Run {
	t.Helper()
	var err error
	if chains.dir == "" {
		chains.dir, err = os.MkdirTemp("", "getio-level0")
		require.NoError(t, err)
	}
	name := fmt.Sprint(e.Name(), plan.Accounts)
	dir := filepath.Join(chains.dir, name)
	if chains.made[name] == nil {
		chains.made[name], err = (&chainload.Job{Plan: chainload.Plan{ChainPlan: plan}, Engine: e, Dir: dir}).Run(context.Background())
		require.NoError(t, err)
	}
	return &Run{
		Engine: e, Dir: dir, Made: chains.made[name], TableBytes: 64 << 10,
		Tables: []int{0, 3, 12}, Operations: 60, Warmup: 60, Seed: 1,
	}
}

// TestGrowAndMeasure checks that each copy has one L0 table more, in a sublevel of its own,
// and finds every block, and that the chain itself does not change.
func TestGrowAndMeasure(t *testing.T) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine, goleveldb.Engine} {
		t.Run(e.Name(), func(t *testing.T) {
			r := runOn(t, e, usual)
			before := enginetest.Fingerprint(t, chainload.StoreDir(r.Dir))
			s, err := r.Grow(context.Background(), 12)
			require.NoError(t, err)
			r.Caches, r.Filters = []int64{16 << 20}, []bool{true, false}
			results, err := r.Measure(context.Background(), s)
			require.NoError(t, err)
			for n := range 13 {
				require.NoError(t, r.with(context.Background(), s, n, func(store engine.Store) error {
					if l0 := level0Of(store.Shape()); l0.Tables != int64(n) || l0.Sublevels != n {
						t.Errorf("%d tables in %d sublevels, want %d", l0.Tables, l0.Sublevels, n)
					}
					return nil
				}))
			}
			if s.Newest(12) <= s.Newest(3) || s.Newest(0) != s.Base || s.Base != 400 {
				t.Errorf("newest blocks %d, %d, %d on %d", s.Newest(0), s.Newest(3), s.Newest(12), s.Base)
			}
			for _, result := range results {
				requireRows(t, result)
			}
			require.NoError(t, s.Close())
			assert.Equal(t, before, enginetest.Fingerprint(t, chainload.StoreDir(r.Dir)))
			if left, err := os.ReadDir(r.Dir); err != nil || len(left) != 2 {
				t.Errorf("%v is left, error %v", left, err)
			}
		})
	}
}

func requireRows(t *testing.T, r *record.Level0) {
	t.Helper()
	for i, row := range r.Rows {
		for _, failed := range row.Checks.Failed() {
			t.Errorf("%d tables: check %s: %s", row.Tables, failed.Name, failed.Detail)
		}
		assert.Equal(t, []int64{0, 3, 12}[i], row.Tables, "tables of row %d", i)
		if names := len(row.Operations); i == 0 && names != 3 || i > 0 && names != len(record.L0Names) {
			t.Errorf("%d tables: %d operations", row.Tables, names)
		}
		if filters := row.FilterBytes > 0; filters != (r.Filters && i > 0) {
			t.Errorf("%d tables, filters consulted %v: %d bytes of filters", row.Tables, r.Filters, row.FilterBytes)
		}
	}
	if none, all := r.Rows[0].Operations[record.L0OldTx].Reads.Mean, r.Rows[2].Operations[record.L0OldTx].Reads.Mean; all < none {
		t.Errorf("a transaction takes %.3f reads, below 12 tables %.3f", none, all)
	}
}

// other is an engine of which nothing is known about L0.
type other struct{ engine.Engine }

func (other) Name() string { return "other" }

// TestOtherEnginesAreRefused: a chain may have been made with any engine.
func TestOtherEnginesAreRefused(t *testing.T) {
	made, err := json.Marshal(record.ChainMade{Schema: record.ChainMadeSchema, Engine: "other"})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, chainload.MadeName), made, 0o600))
	r := &Run{Dir: dir, Tables: []int{0}, Caches: []int64{1 << 20}, Operations: 1}
	_, err = r.GrowAndMeasure(t.Context(), engine.Registry{other{goleveldb.Engine}})
	assert.ErrorContains(t, err, "L0 tables cannot be added to a chain of other")
}

// TestPredictedCliff compares the prediction with the measurement: within 10% or one table
// if the Gets were traced at all tables, within 20% if at fewer than the cliff takes. One
// cache has no cliff with filters.
func TestPredictedCliff(t *testing.T) {
	const most, few = 38, 15
	r := runOn(t, goleveldb.Engine, small)
	s, err := r.Grow(context.Background(), most)
	require.NoError(t, err)
	defer s.Close()
	// Operations do not matter here; they are cheapest without L0.
	r.Tables, r.Caches, r.Filters, r.Operations, r.Warmup = []int{0}, []int64{80 << 10, 200 << 10}, []bool{true, false}, 250, 250
	results, err := r.Measure(context.Background(), s)
	require.NoError(t, err)
	predictors := map[bool]*predictor{}
	for _, filters := range r.Filters {
		predictors[filters], err = r.newPredictor(context.Background(), s, few, filters)
		require.NoError(t, err)
	}
	found := 0
	for _, result := range results {
		cliff := result.Cliff
		further, err := predictors[result.Filters].cliff(context.Background(), engine.Cache{Bytes: result.Cache.Bytes, Shards: 1}, 4*most)
		require.NoError(t, err)
		if cliff.Measured == 0 {
			if cliff.Predicted <= most || further <= most {
				t.Errorf("%d bytes, filters %v: predicted at %d and %d tables, measured nowhere up to %d", result.Cache.Bytes, result.Filters, cliff.Predicted, further, most)
			}
			continue
		}
		found++
		if !within(cliff.Predicted, cliff.Measured, 0.1) || !within(int64(further), cliff.Measured, 0.2) {
			t.Errorf("%d bytes, filters %v: predicted at %d tables, from %d at %d, measured at %d", result.Cache.Bytes, result.Filters, cliff.Predicted, few, further, cliff.Measured)
		}
	}
	assert.Equal(t, 3, found)
}

// within reports whether a number of tables is near another one.
func within(got, want int64, share float64) bool {
	return math.Abs(float64(got-want)) <= max(share*float64(want), 1)
}

// TestFailedStackLeavesNothing cancels a stack, beside the remains of a killed process.
func TestFailedStackLeavesNothing(t *testing.T) {
	r := runOn(t, pebblev2.Engine, usual)
	abandoned, err := tempdir.New(r.Dir, copiesPrefix)
	require.NoError(t, err)
	require.NoError(t, abandoned.Lock.Close()) // as if its process had been killed
	ctx, cancel := context.WithCancel(context.Background())
	r.Progress = func(n, _ int) {
		if n == 3 {
			cancel()
		}
	}
	_, err = r.Grow(ctx, 12)
	assert.Error(t, err, "a stack was grown after its context was cancelled")
	if left, err := os.ReadDir(r.Dir); err != nil || len(left) != 2 {
		t.Errorf("%v is left, error %v", left, err)
	}
}

// TestFirstPast tries every position of the cliff. No number may be tried twice, or be more
// than four times the answer.
func TestFirstPast(t *testing.T) {
	for _, most := range []int{0, 1, 3, 4, 5, 17, 400, 2000} {
		for cliff := 1; cliff <= most+1; cliff++ { // most+1: no cliff
			asked := map[int]bool{}
			got, err := firstPast(most, func(n int) (bool, error) {
				if asked[n] || n < 1 || n > most || n > max(4, 4*cliff) {
					t.Errorf("of %d, with the cliff at %d, %d tables are asked", most, cliff, n)
				}
				asked[n] = true
				return n >= cliff, nil
			})
			want := cliff
			if cliff > most {
				want = 0
			}
			if err != nil || got != want {
				t.Fatalf("of %d: %d, error %v, want %d", most, got, err, want)
			}
		}
	}
	broken := errors.New("broken")
	for _, at := range []int{4, 7} {
		if _, err := firstPast(100, func(n int) (bool, error) {
			if n == at {
				return false, broken
			}
			return n > 7, nil
		}); !errors.Is(err, broken) {
			t.Errorf("the error at %d is %v", at, err)
		}
	}
}

// TestSimulationMatchesLibrary checks that each library reads exactly the blocks that its
// simulated cache misses, for the same sequence of Gets. No block of this chain needs one of
// LevelDB's large buffers.
func TestSimulationMatchesLibrary(t *testing.T) {
	for e, sizes := range map[engine.Engine][]int64{
		pebblev1.Engine:  {600 << 10, 1 << 20},
		pebblev2.Engine:  {600 << 10, 1 << 20},
		goleveldb.Engine: {50 << 10, 100 << 10, 200 << 10},
	} {
		t.Run(e.Name(), func(t *testing.T) {
			eachCache(t, runOn(t, e, small), sizes, func(asked, read, simulated []tracedBlock) {
				assert.Equal(t, simulated, read, "of %d blocks the library reads %d, the simulation %d, and not the same", len(asked), len(read), len(simulated))
			})
		})
	}
}

// TestSimulationOfLargeBuffers checks LevelDB with indexes and filters in large pooled
// buffers: the simulation misses as many blocks as the library reads. The library's pool
// also loses some buffers.
func TestSimulationOfLargeBuffers(t *testing.T) {
	eachCache(t, runOn(t, goleveldb.Engine, usual), []int64{100 << 10, 120 << 10, 160 << 10}, func(asked, read, simulated []tracedBlock) {
		if off := float64(len(simulated))/float64(len(read)) - 1; math.Abs(off) > 0.03 || len(read) > len(asked)*95/100 {
			t.Errorf("of %d blocks the library reads %d, the simulation %d (%+.1f%%)", len(asked), len(read), len(simulated), 100*off)
		}
	})
}

// eachCache makes the same Gets with each cache, with and without filters. It passes on the
// blocks accessed, those that the library read, and those that the simulation missed.
func eachCache(t *testing.T, r *Run, sizes []int64, each func(asked, read, simulated []tracedBlock)) {
	t.Helper()
	const tables, gets = 12, 250
	s, err := r.Grow(context.Background(), tables)
	require.NoError(t, err)
	defer s.Close()
	r.cfg, err = r.Engine.Configure(chainload.Preset(r.Engine.Name()), nil)
	require.NoError(t, err)
	require.NoError(t, r.with(context.Background(), s, tables, func(store engine.Store) error {
		drawn, err := r.gets(context.Background(), store, gets)
		require.NoError(t, err)
		defer drawn.Close()
		for _, filters := range []bool{true, false} {
			asked := blocksRead(t, store, engine.OpenConfig{NoFilters: !filters}, drawn, gets)
			for _, bytes := range sizes {
				open := engine.OpenConfig{CacheBytes: bytes, NoFilters: !filters}
				db, err := store.Open(open)
				require.NoError(t, err)
				library, err := cachesim.LibraryOf(r.Engine.Name(), r.cfg.Effective())
				require.NoError(t, err)
				simulated, err := library.New(db.Cache().Bytes, db.Cache().Reserved, db.Cache().Shards)
				require.NoError(t, err)
				sim := simulation{cache: simulated}
				require.NoError(t, db.Close())
				var missed []tracedBlock
				for _, b := range asked {
					if !sim.ask(b) {
						missed = append(missed, b)
					}
				}
				each(asked, blocksRead(t, store, open, drawn, gets), missed)
			}
		}
		return nil
	}))
}

// blocksRead returns the blocks that Gets read.
func blocksRead(t *testing.T, store engine.Store, open engine.OpenConfig, drawn keysource.Sequence, gets int) (read []tracedBlock) {
	numbers := cachesim.Numbers{}
	open.Trace = func(b engine.TableRead) {
		if b.Block > 0 {
			read = append(read, tracedBlock{Block: cachesim.Block{Number: numbers.Of(b.File, b.Offset), File: b.File, Offset: b.Offset, Stored: uint32(b.Length), Size: uint32(b.Block)}})
		}
	}
	require.NoError(t, trace(context.Background(), store, open, drawn, gets, func(_, _ []byte) {}))
	return read
}
