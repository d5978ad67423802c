package pebblev2

import (
	"context"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/engine/pebble/pebbledb"
	"getio/system/filelock"
)

// loader writes a database.
type loader struct {
	pebble *pebble.DB
	log    *pebbledb.Logger
}

func (e pebbleEngine) Create(dir string, cfg engine.Config) (engine.Loader, error) {
	return e.openLoader(dir, cfg, func(o *pebble.Options) { o.ErrorIfExists = true })
}

func (e pebbleEngine) Resume(dir string, cfg engine.Config) (engine.Loader, error) {
	if _, err := e.directory(dir); err != nil {
		return nil, err
	}
	if err := filelock.CheckUnlocked(dir); err != nil {
		return nil, err
	}
	return e.openLoader(dir, cfg, func(o *pebble.Options) { o.ErrorIfNotExists = true })
}

func (e pebbleEngine) openLoader(dir string, cfg engine.Config, adjust func(*pebble.Options)) (engine.Loader, error) {
	c, err := e.Config(cfg)
	if err != nil {
		return nil, err
	}
	log := pebbledb.NewLogger()
	o := writeOptions(c, log)
	adjust(o)
	db, err := openForWriting(dir, o, log)
	if err != nil {
		return nil, err
	}
	return &loader{pebble: db, log: log}, nil
}

// openForWriting opens the database and releases the caller's reference to the cache: the
// database holds its own.
func openForWriting(dir string, o *pebble.Options, log *pebbledb.Logger) (*pebble.DB, error) {
	db, err := loading.UnlessFailed(log.Failures, func() (*pebble.DB, error) {
		defer o.Cache.Unref()
		return pebble.Open(dir, o)
	})
	if err != nil {
		return nil, failure.Open("Pebble", dir, err)
	}
	return db, nil
}

func (l *loader) Set(key, value []byte) error { return l.pebble.Set(key, value, pebble.NoSync) }
func (l *loader) Sync() error                 { return l.pebble.LogData(nil, pebble.Sync) }
func (l *loader) Failed() <-chan error        { return l.log.Failed() }
func (l *loader) State() string               { return l.pebble.Metrics().String() }
func (l *loader) Flush() error                { return l.pebble.Flush() }
func (l *loader) Close() error                { return l.pebble.Close() }

func (l *loader) Has(key []byte) (bool, error) {
	_, closer, err := l.pebble.Get(key)
	if err == pebble.ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, closer.Close()
}

func (l *loader) Settle(ctx context.Context, report func(engine.SettleProgress)) error {
	if err := l.pebble.Flush(); err != nil {
		return err
	}
	return loading.Settle(ctx, l.log.Failures, report, func() engine.SettleProgress {
		m := l.pebble.Metrics()
		return engine.SettleProgress{
			Compactions:     m.Compact.NumInProgress + m.Flush.NumInProgress,
			DebtBytes:       int64(m.Compact.EstimatedDebt),
			CompactionsDone: m.Compact.Count + m.Flush.Count,
		}
	})
}

func (l *loader) NewBatch() engine.Batch { return &batch{l.pebble.NewBatch()} }

type batch struct{ *pebble.Batch }

func (b *batch) Set(key, value []byte) error { return b.Batch.Set(key, value, nil) }

func (b *batch) Commit() error {
	if err := b.Batch.Commit(pebble.NoSync); err != nil {
		return err
	}
	b.Batch.Reset()
	return nil
}

func (e pebbleEngine) Install(dir string, cfg engine.Config, tables []engine.BuiltTable) error {
	if _, err := e.TableOptions(cfg); err != nil {
		return err
	}
	return pebbledb.Install(dir, tables, func() (pebbledb.NewFiles, error) { return e.newFiles(cfg) })
}

// newFiles returns the files of a new database, created in memory.
func (e pebbleEngine) newFiles(cfg engine.Config) (pebbledb.NewFiles, error) {
	const dir = "a new database in memory" // errors name it
	mem := vfs.NewMem()
	l, err := e.openLoader(dir, cfg, func(o *pebble.Options) { o.FS = mem })
	if err != nil {
		return nil, err
	}
	if err := l.Close(); err != nil {
		return nil, err
	}
	names, err := mem.List(dir)
	if err != nil {
		return nil, err
	}
	return pebbledb.ReadFiles(names, func(name string) (io.ReadCloser, error) { return mem.Open(mem.PathJoin(dir, name)) })
}
