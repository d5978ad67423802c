package census

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/engines"
	"getio/internal/enginetest"
	"getio/record"
	"getio/workload/dataset"
)

// writeChain writes headers, bodies, accounts and two unknown keys with the engine, and returns the
// directory and what it wrote. If flush is false, all keys stay in the write-ahead log.
func writeChain(t *testing.T, e engine.Engine, blocks uint64, flush bool) (dir string, cfg engine.Config, want Tallies) {
	t.Helper()
	small := []string{"target_file_size=64KiB", "lbase_max_bytes=256KiB", "memtable_size=256KiB"}
	switch e.Name() {
	case "goleveldb":
		small = []string{"table_size=64KiB", "l1_max_bytes=256KiB", "memtable_size=256KiB"}
	case "rocksdb":
		small = []string{"target_file_size_base=64KiB", "max_bytes_for_level_base=256KiB", "write_buffer_size=256KiB"}
	}
	if !flush {
		small = nil
	}
	cfg, err := e.Configure("", append(small, "block_size=1KiB", "max_open_files=500"))
	require.NoError(t, err)
	dir = filepath.Join(t.TempDir(), "chaindata")
	loader, err := e.Create(dir, cfg)
	require.NoError(t, err)
	want = Tallies{}
	set := func(c chaindata.Category, key []byte, value int) {
		require.NoError(t, loader.Set(key, make([]byte, value)))
		add(want, string(c), record.CategoryTally{Keys: 1, KeyBytes: int64(len(key)), ValueBytes: int64(value)})
	}
	random := make([]byte, 32)
	for i := range blocks {
		for at := range 4 {
			binary.BigEndian.PutUint64(random[8*at:], dataset.Draw(uint64(at), i))
		}
		number := binary.BigEndian.AppendUint64(nil, i)
		set(chaindata.Headers, append(append([]byte("h"), number...), random...), 500)
		// Of equally large accounts, most ranges would hold equally many, and a sample may miss all others (docs/geth.md).
		set(chaindata.FlatAccounts, append([]byte("a"), random...), 50+int(random[0]%40))
		if i%10 == 0 {
			set(chaindata.Bodies, append(append([]byte("b"), number...), random...), 3000)
		}
	}
	set(chaindata.Unaccounted, []byte{0xff, 0xff}, 1)
	set(chaindata.Unaccounted, []byte{0}, 1)
	if flush {
		require.NoError(t, loader.Settle(context.Background(), nil))
	} else {
		require.NoError(t, loader.Sync())
	}
	require.NoError(t, loader.Close())
	return dir, cfg, want
}

func openStore(t *testing.T, e engine.Engine, dir string, cfg engine.Config) engine.Store {
	t.Helper()
	store, err := e.OpenStore(context.Background(), dir, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func openOrdered(t *testing.T, store engine.Store) engine.Ordered {
	t.Helper()
	db, err := store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	ordered, err := engine.AsOrdered(db, store.Info())
	require.NoError(t, err)
	return ordered
}

// TestKeysInTheLog counts a database whose keys are all in the write-ahead log, as a node
// leaves it that has just been initialised, and checks that the files stay as they are.
func TestKeysInTheLog(t *testing.T) {
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			dir, cfg, want := writeChain(t, e, 500, false)
			enginetest.RequireUnchanged(t, dir, func() {
				store := openStore(t, e, dir, cfg)
				keys := total(want).Keys
				if tables := store.Shape().Total().Tables; tables != 0 || store.Info().WALKeys != keys {
					t.Fatalf("%d tables, and %d keys in the log, of %d written", tables, store.Info().WALKeys, keys)
				}
				for _, exact := range []bool{true, false} {
					got, err := Take(t.Context(), store, Plan{Dir: dir, Exact: exact, Ranges: 100})
					require.NoError(t, err)
					if !got.Exact || got.WAL.Keys != keys || got.Total != total(want) || !maps.Equal(got.Categories, want) {
						t.Errorf("counted %+v, written %v", got, want)
					}
				}
			})
		})
	}
}

// TestCensus counts all keys, then estimates them from all ranges and from a sample.
func TestCensus(t *testing.T) {
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			dir, cfg, want := writeChain(t, e, 5000, true)
			store := openStore(t, e, dir, cfg)
			ordered := openOrdered(t, store)
			var met atomic.Int64
			got, err := Exact(t.Context(), ordered, func(keys int64) { met.Store(max(met.Load(), keys)) })
			require.NoError(t, err)
			assert.Equal(t, want, got)
			if keys := total(want).Keys; met.Load() == 0 || met.Load() > keys {
				t.Errorf("progress of %d of %d keys", met.Load(), keys)
			}
			s, err := store.Sampler()
			require.NoError(t, err)
			defer s.Close()
			_, all, err := Sample(t.Context(), ordered, s, int64(s.Ranges()), 1, nil)
			require.NoError(t, err)
			written := total(want)
			written.KeysError, written.BytesError = all.KeysError, all.BytesError
			if all != written || *all.KeysError != 0 {
				t.Errorf("all ranges hold %+v, written %+v", all, written)
			}
			requireUnbiased(t, ordered, s, want)
		})
	}
}

// requireUnbiased takes many samples. Their mean must be near the truth, and most must lie
// within two standard errors of it.
func requireUnbiased(t *testing.T, db engine.Ordered, s engine.Sampler, want Tallies) {
	t.Helper()
	const samples = 60
	mean, within := 0.0, 0
	truth := float64(want[string(chaindata.FlatAccounts)].Keys)
	for seed := range uint64(samples) {
		estimates, _, err := Sample(t.Context(), db, s, int64(s.Ranges())/10, seed, nil)
		require.NoError(t, err)
		keys := estimates[string(chaindata.FlatAccounts)]
		mean += float64(keys.Keys) / samples
		if math.Abs(float64(keys.Keys)-truth) < 2**keys.KeysError {
			within++
		}
	}
	if math.Abs(mean/truth-1) > 0.1 || within < samples*8/10 {
		t.Errorf("estimates are %.0f in the mean of %.0f keys, %d of %d within two standard errors", mean, truth, within, samples)
	}
}

func TestCancelled(t *testing.T) {
	e := engines.All()[0]
	dir, cfg, _ := writeChain(t, e, 5000, true)
	store := openStore(t, e, dir, cfg)
	ordered := openOrdered(t, store)
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Exact(ctx, ordered, func(int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s, err := store.Sampler()
	require.NoError(t, err)
	defer s.Close()
	if _, _, err := Sample(ctx, ordered, s, 5, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestStrata: all ranges lie in one stratum each, of which there are enough to draw from.
func TestStrata(t *testing.T) {
	for of := range int64(60) {
		for n := range of {
			next, drawn := int64(0), int64(0)
			for _, h := range strata(of, n+1) {
				assert.Equal(t, next, h.first)
				assert.LessOrEqual(t, h.drawn, h.ranges, "%d of %d", n+1, of)
				next += h.ranges
				drawn += h.drawn
			}
			assert.Equal(t, of, next)
			assert.Equal(t, n+1, drawn)
		}
	}
}

// TestVariance: of one stratum, it is the textbook's, with one degree of freedom less than ranges were drawn. Of two, the
// degrees of freedom are by hand. Where all ranges are alike, it is what allows for
// the 3.689 rare ranges that a Poisson process may have had where none was drawn.
func TestVariance(t *testing.T) {
	var v variance
	of := func(h stratum, values ...int64) {
		hits, sum, squares := int64(0), int64(0), 0.0
		for _, x := range values {
			if x > 0 {
				hits++
			}
			sum += x
			squares += float64(x * x)
		}
		v.add(hits, sum, squares, h)
	}
	one, freedom := v.standardError()
	assert.Zero(t, *one)
	assert.Nil(t, freedom)

	of(stratum{ranges: 100, drawn: 4}, 7, 7, 7, 7) // all alike
	of(stratum{ranges: 50, drawn: 5}, 6, 6, 6, 6, 6)
	of(stratum{ranges: 3, drawn: 3}, 9, 9, 9)
	one, freedom = v.standardError()
	assert.InDelta(t, (96*7+45*6)*3.689/9./2.306, *one, 0.01) // Student's t with 8 degrees of freedom
	assert.InDelta(t, 8, *freedom, 1e-9)

	v = variance{}
	of(stratum{ranges: 8, drawn: 4}, 1, 2, 3, 6) // variance 14/3
	first := 8.0 * 8 * (14.0 / 3) / 4 * (1 - 4.0/8)
	one, freedom = v.standardError()
	rare := 4 * 3 * 3.6888794 / 4 / 3.1824463 // what the other ranges hold, if as many as may be had no keys, by Student's t
	assert.InDelta(t, math.Sqrt(first+rare*rare), *one, 1e-6)
	assert.InDelta(t, 3, *freedom, 1e-9)

	of(stratum{ranges: 10, drawn: 5}, 0, 0, 0, 0, 5) // variance 5
	second := 10.0 * 10 * 5 / 5 * (1 - 5.0/10)
	one, freedom = v.standardError()
	assert.InDelta(t, math.Sqrt(first+second), *one, 1e-9)
	assert.InDelta(t, (first+second)*(first+second)/(first*first/5+second*second/6)-2, *freedom, 1e-9)

	of(stratum{ranges: 3, drawn: 3}, 1, 50, 7) // all of them: no error
	same, _ := v.standardError()
	assert.Equal(t, *one, *same)
}

// TestDraw checks that the numbers are distinct and equally likely.
func TestDraw(t *testing.T) {
	times := map[int64]int{}
	for seed := range uint64(4000) {
		list := draw(rand.New(rand.NewPCG(seed, 0)), 20, 5)
		seen := map[int64]bool{}
		for _, n := range list {
			if n < 0 || n >= 20 || seen[n] {
				t.Fatalf("drawn %v", list)
			}
			seen[n] = true
			times[n]++
		}
	}
	for n := range int64(20) {
		if times[n] < 850 || times[n] > 1150 {
			t.Errorf("%d was drawn %d times, expected about 1000", n, times[n])
		}
	}
}

// layout is a key space of ranges, each with keys of one category.
type layout struct {
	engine.Sampler
	categories []byte // the prefix of its keys, by range
}

func (l layout) Ranges() uint64 { return uint64(len(l.categories)) }
func (l layout) Range(n uint64) (first, last []byte, err error) {
	return binary.BigEndian.AppendUint64(nil, n), nil, nil
}

// keysOf is how many keys a range has: nearly equally many in all.
func keysOf(n uint64) int { return 98 + int(n*7%5) }

type scanned struct {
	engine.Ordered
	layout
}

func (s scanned) Scan(from, _ []byte, each func(key, value []byte) error) error {
	n := binary.BigEndian.Uint64(from)
	key := make([]byte, 33)
	key[0] = s.categories[n]
	for range keysOf(n) {
		if err := each(key, nil); err != nil {
			return err
		}
	}
	return nil
}

// TestSmallCategories: the interval of a category of a few neighbouring ranges, which hold nearly equally many keys, has the
// truth in at least 93 of 100 samples, wherever it begins.
func TestSmallCategories(t *testing.T) {
	const all, drawn, samples = 4000, 200, 200 // strata of 80 ranges
	for _, ranges := range []int{100, 150, 300, 700} {
		held, found := 0, 0
		for seed := range uint64(samples) {
			l := layout{categories: bytes.Repeat([]byte{'a'}, all)}
			first := rand.New(rand.NewPCG(seed, 1)).IntN(all - ranges)
			truth := 0
			for n := first; n < first+ranges; n++ {
				l.categories[n] = 'l'
				truth += keysOf(uint64(n))
			}
			estimates, _, err := Sample(t.Context(), scanned{nil, l}, l, drawn, seed, nil)
			require.NoError(t, err)
			got, any := estimates[string(chaindata.Transactions)]
			if !any {
				continue
			}
			found++
			if math.Abs(float64(got.Keys)-float64(truth)) <= *got.KeysHalfWidth() {
				held++
			}
		}
		t.Logf("%d ranges: %d of %d", ranges, held, found)
		assert.Greater(t, found, samples*9/10, "%d ranges", ranges)
		assert.GreaterOrEqual(t, held, found*93/100, "%d ranges: %d of %d", ranges, held, found)
	}
}
