package goleveldb

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/engine/lsm"
	"getio/engine/ondisk"
	"getio/system/filelock"
)

// loader writes a database.
type loader struct {
	cfg       *config
	level     *leveldb.DB
	storage   *writeStorage
	unflushed atomic.Bool // something was written after the last flush or, as the library flushes its log then, the open
}

func (goLevelDB) Create(dir string, cfg engine.Config) (engine.Loader, error) {
	if err := ondisk.RequireEmpty(dir); err != nil {
		return nil, err
	}
	return openLoader(dir, cfg, func(o *opt.Options) { o.ErrorIfExist = true })
}

func (goLevelDB) Resume(dir string, cfg engine.Config) (engine.Loader, error) {
	if _, err := readDirectory(dir); err != nil {
		return nil, err
	}
	if err := filelock.CheckUnlocked(dir); err != nil {
		return nil, err
	}
	return openLoader(dir, cfg, func(o *opt.Options) { o.ErrorIfMissing = true })
}

func openLoader(dir string, cfg engine.Config, adjust func(*opt.Options)) (engine.Loader, error) {
	c, err := configs.Of(cfg)
	if err != nil {
		return nil, err
	}
	if err := c.requireWriter(); err != nil {
		return nil, err
	}
	o := writeOptions(c)
	adjust(o)
	l := &loader{cfg: c}
	if l.storage, err = openWriteStorage(dir, loading.NewFailures()); err != nil {
		return nil, failure.Open("LevelDB", dir, err)
	}
	l.level, err = loading.UnlessFailed(l.storage.failures, func() (*leveldb.DB, error) {
		return leveldb.Open(l.storage, o)
	})
	if err != nil {
		return nil, failure.Open("LevelDB", dir, errors.Join(err, l.storage.Storage.Close()))
	}
	return l, nil
}

// writeOptions configures the library for loading.
func writeOptions(c *config) *opt.Options {
	o := &opt.Options{
		BlockSize:              int(c.blockSize),
		BlockRestartInterval:   c.blockRestartInterval,
		BlockCacheCapacity:     int(c.loadCacheBytes),
		Compression:            opt.SnappyCompression,
		WriteBuffer:            int(c.memTableSize),
		CompactionTableSize:    int(c.tableSize),
		CompactionTotalSize:    int(c.l1MaxBytes),
		CompactionL0Trigger:    c.l0CompactionTrigger,
		WriteL0SlowdownTrigger: c.l0SlowdownTrigger,
		WriteL0PauseTrigger:    c.l0PauseTrigger,
		OpenFilesCacheCapacity: c.maxOpenFiles,
		DisableSeeksCompaction: !c.seekCompactions,
		// Levels have this many times CompactionTotalSize.
		CompactionTotalSizeMultiplierPerLevel: make([]float64, lsm.NumLevels),
	}
	for level := range o.CompactionTotalSizeMultiplierPerLevel {
		o.CompactionTotalSizeMultiplierPerLevel[level] = float64(c.maxBytes(level)) / float64(c.l1MaxBytes)
	}
	if c.compression == "none" {
		o.Compression = opt.NoCompression
	}
	if c.bloomBits > 0 {
		o.Filter = filter.NewBloomFilter(c.bloomBits)
	}
	return o
}

func (l *loader) Set(key, value []byte) error {
	err := l.level.Put(key, value, nil)
	l.unflushed.Store(true)
	return err
}

func (l *loader) Has(key []byte) (bool, error) { return l.level.Has(key, nil) }
func (l *loader) Sync() error                  { return l.storage.syncLogs() }
func (l *loader) Failed() <-chan error         { return l.storage.failures.Failed() }
func (l *loader) State() string                { return state(l.level) }
func (l *loader) Close() error                 { return errors.Join(l.level.Close(), l.storage.Storage.Close()) }

// Flush implements engine.Loader. Beginning a transaction makes the library write its
// memtable and wait for that (leveldb/db_transaction.go). It also makes a second memtable.
func (l *loader) Flush() error {
	if !l.unflushed.Swap(false) {
		return nil
	}
	flush, err := l.level.OpenTransaction()
	if err != nil {
		l.unflushed.Store(true)
		return err
	}
	flush.Discard()
	return nil
}

func (l *loader) Settle(ctx context.Context, report func(engine.SettleProgress)) error {
	if err := l.Flush(); err != nil {
		return err
	}
	var broken error
	err := loading.Settle(ctx, l.storage.failures, report, func() engine.SettleProgress {
		var s leveldb.DBStats
		broken = errors.Join(broken, l.level.Stats(&s))
		return l.cfg.settling(&s)
	})
	return errors.Join(err, broken)
}

// settling computes the progress of settling by the library's own rule for when a level is
// compacted (leveldb/version.go, computeCompaction). The library compacts one level at a
// time; one that is due counts as in progress.
func (c *config) settling(s *leveldb.DBStats) engine.SettleProgress {
	state := engine.SettleProgress{CompactionsDone: int64(s.MemComp) + int64(s.Level0Comp) + int64(s.NonLevel0Comp) + int64(s.SeekComp)}
	for level, size := range s.LevelSizes {
		due := size >= c.maxBytes(level)
		if level == 0 {
			due = s.LevelTablesCounts[0] >= c.l0CompactionTrigger
		}
		if !due {
			continue
		}
		state.Compactions = 1
		if state.DebtBytes += size; level > 0 {
			state.DebtBytes -= c.maxBytes(level)
		}
	}
	return state
}

// maxBytes returns the size at which a level below L0 is compacted.
func (c *config) maxBytes(level int) int64 {
	size := c.l1MaxBytes
	for range level - 1 {
		if size > math.MaxInt64/int64(c.levelMultiplier) {
			return math.MaxInt64
		}
		size *= int64(c.levelMultiplier)
	}
	return size
}

func (l *loader) NewBatch() engine.Batch { return &batch{loader: l} }

type batch struct {
	loader  *loader
	records leveldb.Batch
}

func (b *batch) Close() error { return nil }

func (b *batch) Set(key, value []byte) error {
	b.records.Put(key, value)
	return nil
}

func (b *batch) Commit() error {
	err := b.loader.level.Write(&b.records, nil)
	b.loader.unflushed.Store(true)
	if err != nil {
		return err
	}
	b.records.Reset()
	return nil
}
