package gethstate

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/ethereum/go-ethereum/ethdb"

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
	if err := s.check(); err != nil {
		return err
	}
	return s.db.Set(key, value, pebble.NoSync)
}

func (s *keyValues) Delete(key []byte) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.db.Delete(key, pebble.NoSync)
}

func (s *keyValues) DeleteRange(start, end []byte) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.db.DeleteRange(start, upTo(end), pebble.NoSync)
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
