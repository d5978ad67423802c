package measure

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/dataset/popularity"
	"getio/engine"
	"getio/measure/database"
	"getio/measure/workload"
)

// fakeTables has data blocks and index blocks, whose keys say which they are of.
type fakeTables struct {
	engine.Sampler
	dataBlocks, indexBlocks uint64
	err                     error
	closed                  int
}

func (f *fakeTables) Ranges() uint64 { return f.dataBlocks }
func (f *fakeTables) Range(n uint64) (first, last []byte, err error) {
	return binary.BigEndian.AppendUint64([]byte("data"), n), nil, f.err
}
func (f *fakeTables) IndexKeys(_ context.Context, each func([]byte) error) error {
	for n := range 2 * f.indexBlocks {
		if err := each(binary.BigEndian.AppendUint64([]byte("index"), n/2)); err != nil {
			return err
		}
	}
	return nil
}
func (f *fakeTables) Close() error { f.closed++; return nil }

func uniformGets(warmup Warmup) Options {
	return Options{Gets: 1000, Warmup: warmup, Workers: 1, NoSplit: true, uniform: true}
}

// TestChosenKeysComeFirst: data blocks until as much was read as the cache holds, in steps of 32, each index block twice, and
// one window of random keys once as much was read as the cache holds.
func TestChosenKeysComeFirst(t *testing.T) {
	var keys []string
	s := newFakeStore(func(int64) int64 { return 1 })
	s.tables, s.readBytes = &fakeTables{dataBlocks: 1 << 20, indexBlocks: 100}, 4096
	s.get = func(_ int64, key []byte) (bool, error) { keys = append(keys, string(key)); return true, nil }
	r, err := measureFake(s, uniformGets(AutoWarmup)) // 1 MiB are 256 reads
	require.NoError(t, err)
	window := s.shape.MinWindowGets()
	assert.EqualValues(t, 256+200, r.Workload.WarmupChosenGets)
	assert.EqualValues(t, 256+200+window, r.Workload.WarmupGets)
	assert.Equal(t, "auto", r.Workload.WarmupRule)
	require.Len(t, keys, int(r.Workload.WarmupGets+r.Workload.Gets))
	for i := range 256 {
		require.Equal(t, "data"+string(binary.BigEndian.AppendUint64(nil, uint64(i+1))), keys[i])
	}
	for i := range 200 {
		require.Equal(t, "index"+string(binary.BigEndian.AppendUint64(nil, uint64(i/2))), keys[256+i])
	}
	random := fakeGets()
	for i, key := range keys[456:] { // the numbers of random Gets begin with 0
		want, _ := random.Key(int64(i), nil)
		require.Equal(t, string(want), key, "Get %d", i)
	}
	assert.Equal(t, 1, s.tables.(*fakeTables).closed)
}

// TestKeysAreNotChosen: where their state would not be that of the Gets, and where LRU needs none.
func TestKeysAreNotChosen(t *testing.T) {
	for name, change := range map[string]func(*fakeStore, *Options){
		"a number of Gets":    func(_ *fakeStore, o *Options) { o.Warmup = WarmupGets(500) },
		"a share":             func(_ *fakeStore, o *Options) { o.Warmup, o.Keys = WarmupOneIn(1000), 1_000_000 },
		"popular keys":        func(_ *fakeStore, o *Options) { o.uniform = false },
		"multigets":           func(_ *fakeStore, o *Options) { o.Operation = Operation{Kind: engine.OperationMultiget, Records: 1} },
		"a cache that is LRU": func(s *fakeStore, _ *Options) { s.tables = nil },
	} {
		s := newFakeStore(func(int64) int64 { return 1 })
		s.tables, s.readBytes = &fakeTables{dataBlocks: 1 << 20, indexBlocks: 100}, 4096
		o := uniformGets(AutoWarmup)
		change(s, &o)
		r := &run{db: &fakeDB{store: s}, opts: o}
		assert.False(t, r.choosesKeys(), name)
	}
	assert.False(t, (&database.KeySource{KeysFile: "keys"}).EquallyPopular())
	assert.False(t, (&database.KeySource{Random: workload.Random{Popularity: popularity.Popularity{Zipf: 1}}}).EquallyPopular())
	assert.True(t, (&database.KeySource{Random: workload.Random{Absent: 0.1}}).EquallyPopular())
}

// TestLRUIsWarmUntilFull: two windows of random keys, the first of which fills the cache.
func TestLRUIsWarmUntilFull(t *testing.T) {
	s := newFakeStore(func(int64) int64 { return 1 })
	s.readBytes = 4096
	r, err := measureFake(s, uniformGets(AutoWarmup))
	require.NoError(t, err)
	assert.EqualValues(t, 2*s.shape.MinWindowGets(), r.Workload.WarmupGets)
	assert.Zero(t, r.Workload.WarmupChosenGets)
}

// TestTablesThatCannotBeSampled end the run.
func TestTablesThatCannotBeSampled(t *testing.T) {
	s := newFakeStore(func(int64) int64 { return 1 })
	damaged := errors.New("damaged")
	s.tables = &fakeTables{dataBlocks: 10, indexBlocks: 1, err: damaged}
	_, err := measureFake(s, uniformGets(AutoWarmup))
	assert.ErrorIs(t, err, damaged)
}
