package measure

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/workload"
	"getio/workload/popularity"
)

// fakeTables has data blocks and index blocks, whose keys say which they are of.
type fakeTables struct {
	engine.Sampler
	dataBlocks, indexBlocks uint64
	err                     error
	closed                  int
}

func (f *fakeTables) BlockStarts(each func([]byte) error) error {
	for n := uint64(1); n < f.dataBlocks && f.err == nil; n++ {
		if err := each(binary.BigEndian.AppendUint64([]byte("data"), n)); err != nil {
			return err
		}
	}
	return f.err
}
func (f *fakeTables) IndexKeys(_ context.Context, skip int64, most int, each func([][]byte) error) error {
	for n := uint64(skip); n < f.indexBlocks && f.err == nil; n++ {
		if err := each([][]byte{f.behind(n, "first"), f.behind(n, "second")}[:most]); err != nil {
			return err
		}
	}
	return f.err
}
func (*fakeTables) behind(index uint64, which string) []byte {
	return binary.BigEndian.AppendUint64([]byte(which), index)
}
func (f *fakeTables) Close() error { f.closed++; return nil }

func uniformGets(warmup workload.Warmup) Options {
	return Options{Workload: workload.Workload{Gets: 1000, Warmup: warmup, Workers: 1}, Counted: Counted{NoSplit: true}}
}

// TestChosenKeysComeFirst: one Get of each index block until as much was read as the cache holds, in steps of 32, two of
// each from there on, two of each before, and one window of random keys.
func TestChosenKeysComeFirst(t *testing.T) {
	tables := &fakeTables{indexBlocks: 400}
	var want []string
	for n := range uint64(256) { // 256 reads of 4 KiB fill 1 MiB
		want = append(want, string(tables.behind(n, "first")))
	}
	for n := range uint64(400) {
		n = (n + 256) % 400
		want = append(want, string(tables.behind(n, "first")), string(tables.behind(n, "second")))
	}
	requireChosen(t, newFakeStore(func(int64) int64 { return 1 }), tables, want)
}

// TestFewIndexBlocksDoNotFill: where Gets of index blocks read less than two caches full, Gets of neighbouring data blocks
// come first.
func TestFewIndexBlocksDoNotFill(t *testing.T) {
	s := newFakeStore(func(int64) int64 { return 1 })
	var levels [lsm.NumLevels][]lsm.Table
	levels[6] = []lsm.Table{{Bytes: 1 << 30, Records: 1 << 20, DataBytes: 1 << 29, DataBlocks: 1 << 17, IndexBytes: 100 << 12, IndexBlocks: 100}}
	s.shape = lsm.NewShape(levels)
	tables := &fakeTables{dataBlocks: 1 << 20, indexBlocks: 100}
	var want []string
	for n := range 256 {
		want = append(want, "data"+string(binary.BigEndian.AppendUint64(nil, uint64(n+1))))
	}
	for n := range uint64(100) {
		want = append(want, string(tables.behind(n, "first")), string(tables.behind(n, "second")))
	}
	requireChosen(t, s, tables, want)
}

// requireChosen requires that an automatic warm-up of a cache of 1 MiB, each Get of which reads 4 KiB, begins with these keys.
func requireChosen(t *testing.T, s *fakeStore, tables *fakeTables, want []string) {
	var keys []string
	s.tables, s.readBytes = tables, 4096
	s.get = func(_ int64, key []byte) (bool, error) { keys = append(keys, string(key)); return true, nil }
	r, err := measureUniform(s, uniformGets(workload.AutoWarmup))
	require.NoError(t, err)
	chosen := len(want)
	assert.EqualValues(t, chosen, r.Workload.WarmupChosenGets)
	assert.EqualValues(t, int64(chosen)+s.shape.MinWindowGets(), r.Workload.WarmupGets)
	assert.Equal(t, "auto", r.Workload.WarmupRule)
	require.Len(t, keys, int(r.Workload.WarmupGets+r.Workload.Gets))
	require.Equal(t, want, keys[:chosen])
	random := fakeGets()
	for i, key := range keys[chosen:] { // the numbers of random Gets begin with 0
		want, _ := random.Key(int64(i), nil)
		require.Equal(t, string(want), key, "Get %d", i)
	}
	assert.Equal(t, 1, tables.closed)
}

// TestKeysAreNotChosen: where their state would not be that of the Gets, and where LRU needs none.
func TestKeysAreNotChosen(t *testing.T) {
	for name, change := range map[string]func(*fakeStore, *plan){
		"a number of Gets":    func(_ *fakeStore, o *plan) { o.Warmup = workload.WarmupGets(500) },
		"a share":             func(_ *fakeStore, o *plan) { o.Warmup, o.TotalKeys = workload.WarmupOneIn(1000), 1_000_000 },
		"popular keys":        func(_ *fakeStore, o *plan) { o.uniform = false },
		"multigets":           func(_ *fakeStore, o *plan) { o.Operation = workload.Operation{Kind: workload.Multiget, Records: 1} },
		"a cache that is LRU": func(s *fakeStore, _ *plan) { s.tables = nil },
	} {
		s := newFakeStore(func(int64) int64 { return 1 })
		s.tables, s.readBytes = &fakeTables{dataBlocks: 1 << 20, indexBlocks: 100}, 4096
		p := uniformly(s, uniformGets(workload.AutoWarmup))
		change(s, p)
		r := &run{db: &fakeDB{store: s}, plan: p}
		assert.False(t, r.choosesKeys(), name)
	}
	assert.False(t, (&workload.Keys{Files: workload.Files{KeysFile: "keys"}}).EquallyPopular())
	assert.False(t, (&workload.Keys{Popularity: popularity.Popularity{Zipf: 1}}).EquallyPopular())
	assert.True(t, (&workload.Keys{Absent: 0.1}).EquallyPopular())
}

// TestChosenGetsAreBounded: runs of an alternation make no more Gets of chosen keys than its trial.
func TestChosenGetsAreBounded(t *testing.T) {
	for _, most := range []int64{0, 7, 300} {
		s := newFakeStore(func(int64) int64 { return 1 })
		s.tables, s.readBytes = &fakeTables{indexBlocks: 400}, 4096
		p := uniformly(s, uniformGets(workload.AutoWarmup))
		p.mostChosen = &most
		r, err := p.measure(t.Context(), s, engine.OpenConfig{CacheBytes: 1 << 20}, fakeGets(), &splitSample{})
		require.NoError(t, err)
		assert.Equal(t, most, r.Workload.WarmupChosenGets)
	}
}

// TestLRUIsWarmUntilFull: two windows of random keys, the first of which fills the cache.
func TestLRUIsWarmUntilFull(t *testing.T) {
	s := newFakeStore(func(int64) int64 { return 1 })
	s.readBytes = 4096
	r, err := measureUniform(s, uniformGets(workload.AutoWarmup))
	require.NoError(t, err)
	assert.EqualValues(t, 2*s.shape.MinWindowGets(), r.Workload.WarmupGets)
	assert.Zero(t, r.Workload.WarmupChosenGets)
}

// TestTablesThatCannotBeSampled end the run.
func TestTablesThatCannotBeSampled(t *testing.T) {
	s := newFakeStore(func(int64) int64 { return 1 })
	damaged := errors.New("damaged")
	s.tables = &fakeTables{dataBlocks: 10, indexBlocks: 1, err: damaged}
	_, err := measureUniform(s, uniformGets(workload.AutoWarmup))
	assert.ErrorIs(t, err, damaged)
}
