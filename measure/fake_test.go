package measure

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

// skipShort skips a test with -short, as the race detector is run: one worker makes its Gets.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one worker makes these runs, so the race detector would find nothing")
	}
}

// fakeStore is a database whose Gets make the number of reads that a function returns.
type fakeStore struct {
	shape *lsm.Shape
	// reads returns the data reads of Get n since the open.
	reads func(n int64) int64
	// get, if set, returns the result of Get n.
	get func(n int64, key []byte) (found bool, err error)
	// stray, if set, reports whether another thread makes the reads of Get n.
	stray  func(n int64) bool
	checks []readpath.Check
	// miscount is added to the accesses that the library counts.
	miscount int64
	// readBytes is how many bytes each read has.
	readBytes int64
	opens     atomic.Int64
	// tables, if set, draws the keys of a warm-up by chosen keys.
	tables engine.Sampler
}

func newFakeStore(reads func(n int64) int64) *fakeStore {
	var tables [lsm.NumLevels][]lsm.Table
	tables[6] = []lsm.Table{{Bytes: 1 << 30, Records: 1 << 20, DataBytes: 1 << 29, DataBlocks: 1 << 16, IndexBytes: 1 << 22, IndexBlocks: 1 << 10, TopIndexBytes: 1 << 12}}
	return &fakeStore{shape: lsm.NewShape(tables), reads: reads}
}

// TreeSampler implements engine.Store. No measurement samples the tree.
func (s *fakeStore) TreeSampler() engine.TreeSampler { return nil }

func (s *fakeStore) Info() engine.Info {
	return engine.Info{Dir: "fake", Engine: "fake", Version: "v0"}
}
func (s *fakeStore) Shape() *lsm.Shape { return s.shape }
func (s *fakeStore) Properties() (p [lsm.NumLevels]engine.LevelProperties, known bool) {
	return p, true
}
func (s *fakeStore) CacheCharge(block int64) int64 { return block }
func (s *fakeStore) Sampler() (engine.Sampler, error) {
	if s.tables == nil {
		return nil, errors.New("a fake has no tables")
	}
	return s.tables, nil
}
func (s *fakeStore) Close() error { return nil }

func (s *fakeStore) Open(cfg engine.OpenConfig) (engine.DB, error) {
	s.opens.Add(1)
	return &fakeDB{store: s, cfg: cfg}, nil
}

// fakeDB counts like a library: every Get visits one table and accesses its top index, one index
// block and one data block.
type fakeDB struct {
	store *fakeStore
	cfg   engine.OpenConfig
	gets  atomic.Int64
	reads atomic.Int64
}

func (d *fakeDB) Get(key, buf []byte) ([]byte, bool, error) {
	n := d.gets.Add(1) - 1
	d.read(n, d.store.reads(n))
	if d.store.get != nil {
		found, err := d.store.get(n, key)
		return buf[:0], found, err
	}
	return buf[:0], true, nil
}

func (d *fakeDB) read(n, reads int64) {
	d.reads.Add(reads)
	if d.cfg.Trace == nil {
		return
	}
	trace := func() {
		for range reads {
			d.cfg.Trace(engine.TableRead{Component: readpath.Data, Length: 1})
		}
	}
	if d.store.stray == nil || !d.store.stray(n) {
		trace()
		return
	}
	var other sync.WaitGroup
	other.Go(trace)
	other.Wait()
}

func (d *fakeDB) Counts() engine.Counts {
	var c engine.Counts
	gets := d.gets.Load()
	c.Reads.Count[readpath.Data] = d.reads.Load()
	c.Reads.Bytes[readpath.Data] = d.store.readBytes * d.reads.Load()
	c.Accesses.Count[readpath.TopIndex] = gets
	c.Accesses.Count[readpath.Index] = gets
	c.Accesses.Count[readpath.Data] = gets
	c.Accesses.Probed = gets
	if d.cfg.CacheBytes == 0 { // every access is a read
		c.Reads.Count = c.Accesses.Count
	} else {
		c.Accesses.Count[readpath.TopIndex] += d.store.miscount
	}
	return c
}

func (d *fakeDB) Check(engine.Counts) []readpath.Check { return d.store.checks }
func (d *fakeDB) Cache() engine.Cache {
	return engine.Cache{Bytes: d.cfg.CacheBytes, Shards: 4, ByRecency: d.store.tables == nil}
}
func (d *fakeDB) State() string { return "fake" }
func (d *fakeDB) Close() error  { return nil }

// fakeGets returns Gets of a small dataset.
func fakeGets() keysource.Sequence {
	keys, err := dataset.NewKeyspace(dataset.KeyspaceStratified, 1<<20, 1)
	if err != nil {
		panic(err)
	}
	return keysource.Written(keys, nil, workload.Keys{Seed: 1})
}

// measureUniform measures Gets of keys that are equally popular.
func measureUniform(s *fakeStore, opts Options) (*record.Result, error) {
	return uniformly(s, opts).measure(context.Background(), s, engine.OpenConfig{CacheBytes: 1 << 20}, fakeGets(), &splitSample{})
}

func uniformly(s *fakeStore, opts Options) *plan {
	p := newPlan(s.shape, opts)
	p.uniform = true
	return p
}

func measureFake(s *fakeStore, opts Options) (*record.Result, error) {
	return Measure(context.Background(), s, engine.OpenConfig{CacheBytes: 1 << 20}, fakeGets(), opts)
}
