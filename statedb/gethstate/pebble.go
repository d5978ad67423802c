package gethstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"

	"getio/engine"
	"getio/engine/loading"
)

// keyValues is geth's key-value store: Pebble with geth's options. Under geth, up to as many compactions
// run at a time as there are processors; here they run one by one, and writes wait for them.
type keyValues struct {
	db       *pebble.DB
	failures *loading.Failures
	pace
	closed atomic.Bool
	// sorts is for batches in random order: they are written in the order of their keys.
	sorts bool
}

// memtable is the size of a memtable in bytes: geth's Pebble has four, in half of its cache.
const memtable = storeCache << 20 / 2 / 4

// storeOptions returns the options of go-ethereum 1.17.10 (ethdb/pebble/pebble.go) for a cache of
// storeCache MiB.
func storeOptions() *pebble.Options {
	filter := bloom.FilterPolicy(10)
	o := &pebble.Options{
		Cache:                       pebble.NewCache(storeCache << 20),
		MaxOpenFiles:                storeHandles,
		MemTableSize:                memtable,
		MemTableStopWritesThreshold: 8,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, 1 },
		TargetFileSizes:             [7]int64{16 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20},
		WALBytesPerSync:             5 * ethdb.IdealBatchSize,
		L0CompactionThreshold:       2,
		FormatMajorVersion:          pebble.FormatFlushableIngest,
		Logger:                      fatal{},
	}
	for i := range 6 { // Pebble gives the last level the filters of the one above
		o.Levels[i].FilterPolicy = filter
	}
	o.Experimental.ReadSamplingMultiplier = -1
	o.Experimental.L0CompactionConcurrency = 1
	o.Experimental.CompactionDebtConcurrency = 256 << 20
	return o
}

// fatal logs nothing but what Pebble cannot recover from, which ends the process, as it ends geth.
type fatal struct{}

func (fatal) Infof(string, ...any)                   {}
func (fatal) Errorf(string, ...any)                  {}
func (fatal) Fatalf(format string, arguments ...any) { panic(fmt.Errorf(format, arguments...)) }

// openKeyValues opens or makes a store. Waits end when ctx is done.
func openKeyValues(ctx context.Context, dir string, sorts bool) (*keyValues, error) {
	s := &keyValues{failures: loading.NewFailures(), sorts: sorts}
	o := storeOptions()
	defer o.Cache.Unref()
	o.Experimental.CompactionScheduler = &oneByOne{}
	o.EventListener = &pebble.EventListener{BackgroundError: s.failures.Fail}
	var err error
	if s.db, err = pebble.Open(dir, o); err != nil {
		return nil, fmt.Errorf("%s cannot be opened for writing: %w", dir, err)
	}
	s.pace.flush = s.db.Flush
	s.pace.settle = func() error { return s.settle(ctx, nil) }
	return s, nil
}

// finish flushes the memtables and waits until the store has nothing to do.
func (s *keyValues) finish(ctx context.Context, working func(engine.SettleProgress)) error {
	if err := s.db.Flush(); err != nil {
		return err
	}
	return s.settle(ctx, working)
}

// settle waits until no flush and no compaction is left.
func (s *keyValues) settle(ctx context.Context, working func(engine.SettleProgress)) error {
	return loading.Settle(ctx, s.failures, working, func() engine.SettleProgress {
		m := s.db.Metrics()
		return engine.SettleProgress{
			Compactions:     m.Compact.NumInProgress + m.Flush.NumInProgress,
			CompactionsDone: m.Compact.Count + m.Flush.Count,
		}
	})
}

// check fails once the store is closed, where Pebble panics.
func (s *keyValues) check() error {
	if s.closed.Load() {
		return pebble.ErrClosed
	}
	return nil
}

func (s *keyValues) Has(key []byte) (bool, error) {
	_, err := s.Get(key)
	if err == pebble.ErrNotFound {
		return false, nil
	}
	return err == nil, err
}

func (s *keyValues) Get(key []byte) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	value, closer, err := s.db.Get(key)
	if err != nil {
		return nil, err
	}
	value = append([]byte{}, value...)
	return value, closer.Close()
}

func (s *keyValues) Put(key, value []byte) error {
	return s.write(changes{{pebble.InternalKeyKindSet, key, value}})
}

func (s *keyValues) Delete(key []byte) error {
	return s.write(changes{{pebble.InternalKeyKindDelete, key, nil}})
}

func (s *keyValues) DeleteRange(start, end []byte) error {
	return s.write(changes{{pebble.InternalKeyKindRangeDelete, start, upTo(end)}})
}

// write makes changes that become effective together.
func (s *keyValues) write(list changes) error {
	if err := s.check(); err != nil {
		return err
	}
	to := s.db.NewBatch()
	defer to.Close()
	var err error
	for _, c := range list {
		switch c.kind {
		case pebble.InternalKeyKindSet:
			err = errors.Join(err, to.Set(c.key, c.value, nil))
		case pebble.InternalKeyKindDelete:
			err = errors.Join(err, to.Delete(c.key, nil))
		case pebble.InternalKeyKindRangeDelete:
			err = errors.Join(err, to.DeleteRange(c.key, c.value, nil))
		}
	}
	if err != nil {
		return err
	}
	return to.Commit(pebble.NoSync)
}

// upTo returns the end of a range of keys for Pebble. nil is the end of the store.
func upTo(end []byte) []byte {
	if end == nil {
		return ethdb.MaximumKey
	}
	return end
}

func (s *keyValues) Stat() (string, error) { return s.db.Metrics().String(), nil }
func (s *keyValues) SyncKeyValue() error   { return s.db.LogData(nil, pebble.Sync) }

func (s *keyValues) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.db.Close()
}

func (s *keyValues) Compact(start, limit []byte) error {
	return s.db.Compact(context.Background(), start, upTo(limit), true)
}

func (s *keyValues) NewIterator(prefix, start []byte) ethdb.Iterator {
	i, err := s.db.NewIter(&pebble.IterOptions{LowerBound: append(bytes.Clone(prefix), start...), UpperBound: after(prefix)})
	return &iterator{Iterator: i, failed: err}
}

// after returns the end of the range of keys that begin with prefix. nil is the end of the store.
func after(prefix []byte) []byte {
	end := bytes.TrimRight(prefix, "\xff")
	if len(end) == 0 {
		return nil
	}
	end = bytes.Clone(end)
	end[len(end)-1]++
	return end
}

// iterator goes over the records of a store. failed is the error of opening it.
type iterator struct {
	*pebble.Iterator
	failed error
	begun  bool
}

func (i *iterator) Next() bool {
	if i.failed != nil {
		return false
	}
	if i.begun {
		return i.Iterator.Next()
	}
	i.begun = true
	return i.First()
}

func (i *iterator) Error() error {
	if i.failed != nil {
		return i.failed
	}
	return i.Iterator.Error()
}

func (i *iterator) Release() {
	if i.failed == nil {
		i.Close()
	}
}

// batch is changes of a store that become effective together. go-ethereum's batch in memory keeps them until then.
type batch struct {
	ethdb.Batch
	store *keyValues
}

func (s *keyValues) NewBatch() ethdb.Batch            { return &batch{memorydb.New().NewBatch(), s} }
func (s *keyValues) NewBatchWithSize(int) ethdb.Batch { return s.NewBatch() }

// Write writes the changes, and waits for the store's compactions if it has taken enough.
func (b *batch) Write() error {
	list, err := b.list()
	if err != nil {
		return err
	}
	if err := b.store.write(list); err != nil {
		return err
	}
	return b.store.wrote(b.ValueSize(), len(list))
}

// list lists the changes in the order in which they are written: in that of their keys, if the store sorts. The path
// scheme fills a batch in the random order of Go's maps, and Pebble numbers changes in the order of the batch. The numbers
// are part of tables and change their size after compression, and with it where tables end, what compactions choose, and
// what a lookup reads: with 5M accounts by up to 6%. The hash scheme writes nodes in the order of the trie. A batch that
// removes ranges keeps its order, since a range may hold keys that the batch writes before or after.
func (b *batch) list() (list changes, err error) {
	if err = b.Replay(&list); err != nil {
		return nil, err
	}
	removesRange := func(c change) bool { return c.kind == pebble.InternalKeyKindRangeDelete }
	if b.store.sorts && !slices.ContainsFunc(list, removesRange) {
		slices.SortStableFunc(list, func(a, b change) int { return bytes.Compare(a.key, b.key) })
	}
	return list, nil
}

type change struct {
	kind       pebble.InternalKeyKind
	key, value []byte // of a range that is removed: its start and end
}

type changes []change

func (c *changes) Put(key, value []byte) error { return c.add(pebble.InternalKeyKindSet, key, value) }
func (c *changes) Delete(key []byte) error     { return c.add(pebble.InternalKeyKindDelete, key, nil) }
func (c *changes) DeleteRange(start, end []byte) error {
	return c.add(pebble.InternalKeyKindRangeDelete, start, upTo(end))
}

func (c *changes) add(kind pebble.InternalKeyKind, key, value []byte) error {
	*c = append(*c, change{kind, key, value})
	return nil
}
