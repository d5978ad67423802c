package census

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"

	"getio/dataset"
	"getio/engine"
	"getio/engine/engines"
	"getio/ethereum/chaindata"
)

// chain writes headers, bodies, nodes and one strange key with the engine, and
// tells what there is.
func chain(t *testing.T, e engine.Engine) (engine.Store, Tallies) {
	t.Helper()
	small := []string{"target_file_size=64KiB", "lbase_max_bytes=256KiB", "memtable_size=256KiB"}
	switch e.Name() {
	case "goleveldb":
		small = []string{"table_size=64KiB", "l1_max_bytes=256KiB", "memtable_size=256KiB"}
	case "rocksdb":
		small = []string{"target_file_size_base=64KiB", "max_bytes_for_level_base=256KiB", "write_buffer_size=256KiB"}
	}
	cfg, err := e.Configure("", append(small, "block_size=1KiB", "max_open_files=500"))
	check(t, err)
	dir := filepath.Join(t.TempDir(), "chaindata")
	loader, err := e.Create(dir, cfg)
	check(t, err)
	want := Tallies{}
	set := func(c chaindata.Category, key []byte, value int) {
		check(t, loader.Set(key, make([]byte, value)))
		tally := want[c]
		tally.add(Tally{1, int64(len(key)), int64(value)})
		want[c] = tally
	}
	random := make([]byte, 32)
	for i := range uint64(5000) {
		for at := range 4 {
			binary.BigEndian.PutUint64(random[8*at:], dataset.Draw(uint64(at), i))
		}
		number := binary.BigEndian.AppendUint64(nil, i)
		set(chaindata.Headers, append(append([]byte("h"), number...), random...), 500)
		set(chaindata.FlatAccounts, append([]byte("a"), random...), 70)
		if i%10 == 0 {
			set(chaindata.Bodies, append(append([]byte("b"), number...), random...), 3000)
		}
	}
	set(chaindata.Unaccounted, []byte{0xff, 0xff}, 1)
	set(chaindata.Unaccounted, []byte{0}, 1)
	check(t, loader.Settle(context.Background(), nil))
	check(t, loader.Close())
	store, err := e.OpenStore(context.Background(), dir, cfg)
	check(t, err)
	t.Cleanup(func() { check(t, store.Close()) })
	return store, want
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCensus counts all keys, then estimates them from all ranges and from some.
func TestCensus(t *testing.T) {
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			store, want := chain(t, e)
			db, err := store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
			check(t, err)
			defer db.Close()
			ordered, err := engine.AsOrdered(db, store.Info())
			check(t, err)
			var met atomic.Int64
			got, err := Exact(t.Context(), ordered, func(keys int64) { met.Store(max(met.Load(), keys)) })
			check(t, err)
			if !maps.Equal(got, want) {
				t.Errorf("counted %v, written %v", got, want)
			}
			if total := want.Total().Keys; met.Load() == 0 || met.Load() > total {
				t.Errorf("progress of %d of %d keys", met.Load(), total)
			}
			s, err := store.Sampler()
			check(t, err)
			defer s.Close()
			all, err := Sample(t.Context(), ordered, s, int64(s.Ranges()), 1, nil)
			check(t, err)
			if all.Total.Tally != want.Total() || all.Total.KeysError != 0 {
				t.Errorf("all ranges hold %+v, written %+v", all.Total, want.Total())
			}
			requireUnbiased(t, ordered, s, want)
		})
	}
}

// requireUnbiased takes many samples: their mean is near the truth, and most lie
// within two of their own standard errors.
func requireUnbiased(t *testing.T, db engine.Ordered, s engine.Sampler, want Tallies) {
	t.Helper()
	const samples = 60
	mean, within := 0.0, 0
	truth := float64(want[chaindata.FlatAccounts].Keys)
	for seed := range uint64(samples) {
		e, err := Sample(t.Context(), db, s, int64(s.Ranges())/10, seed, nil)
		check(t, err)
		keys := e.Categories[chaindata.FlatAccounts]
		mean += float64(keys.Keys) / samples
		if math.Abs(float64(keys.Keys)-truth) < 2*keys.KeysError {
			within++
		}
	}
	if math.Abs(mean/truth-1) > 0.1 || within < samples*8/10 {
		t.Errorf("estimates are %.0f in the mean of %.0f keys, %d of %d within two standard errors", mean, truth, within, samples)
	}
}

func TestCensusIsCancelled(t *testing.T) {
	store, _ := chain(t, engines.All()[0])
	db, err := store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	check(t, err)
	defer db.Close()
	ordered, err := engine.AsOrdered(db, store.Info())
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Exact(ctx, ordered, func(int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s, err := store.Sampler()
	check(t, err)
	defer s.Close()
	if _, err := Sample(ctx, ordered, s, 5, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestDraw: numbers are different, and each is as likely as any other.
func TestDraw(t *testing.T) {
	times := map[int64]int{}
	for seed := range uint64(4000) {
		list := draw(20, 5, seed)
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
