// Package engineadapter serves getio's own engines over the adapter protocol, so that each can be
// measured as a child process like engines in other languages.
package engineadapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/loading"
	"getio/statedb/adapter"
)

// Limits of keys and values. getio's are far smaller, and the libraries' larger.
const (
	maxKey   = 4 << 10
	maxValue = 16 << 20
)

type served struct {
	ctx    context.Context
	engine engine.Engine
}

// New makes an engine an adapter, with a configuration for each preset. Long operations end
// when ctx is done.
func New(ctx context.Context, e engine.Engine) adapter.Engine { return served{ctx, e} }

func (s served) Hello() adapter.Hello {
	h := adapter.Hello{Engine: s.engine.Name(), EngineVersion: s.engine.Version()}
	for _, preset := range s.engine.Presets() {
		h.Configurations = append(h.Configurations, adapter.Configuration{
			Name: preset, About: "getio's preset " + preset,
			MinKey: 1, MaxKey: maxKey, MaxValue: maxValue, Ordered: true,
			Caches: []adapter.Cache{{Name: "block cache"}},
		})
	}
	return h
}

func (s served) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	cfg, err := s.engine.Configure(o.Configuration, o.Options)
	if err != nil {
		return nil, adapter.Opened{}, err
	}
	store := &store{served: s, dir: o.Dir, cfg: cfg, cache: int64(o.CacheBytes)}
	if err := store.open(o.Mode); err != nil {
		return nil, adapter.Opened{}, err
	}
	opened := adapter.Opened{Options: []adapter.Option{{Name: "cache_bytes", Value: strconv.FormatUint(o.CacheBytes, 10)}}}
	for name, value := range cfg.Effective() {
		opened.Options = append(opened.Options, adapter.Option{Name: name, Value: value})
	}
	return store, opened, nil
}

// open opens the store for its first use.
func (s *store) open(mode adapter.Mode) error {
	if mode == adapter.Create {
		if err := adapter.RequireEmpty(s.dir); err != nil {
			return err
		}
		loader, err := s.engine.Create(s.dir, s.cfg)
		if err == nil {
			s.startLoading(loader)
		}
		return err
	}
	if _, err := s.engine.Recognise(s.dir); err != nil {
		return err
	}
	if mode == adapter.Write {
		return s.toLoad()
	}
	return s.toRead()
}

// store is a database that is open either for loading or for reading. It is reopened when a
// request needs the other mode.
type store struct {
	served
	dir   string
	cfg   engine.Config
	cache int64 // in bytes

	loader engine.Loader // while loading
	batch  engine.Batch
	grown  bool // something was loaded since it last settled

	opened engine.Store // while reading
	db     engine.DB
	cold   ColdReads

	// failed is the error after which the library is unusable. Its calls may never return.
	failed error
}

func (s *store) startLoading(l engine.Loader) {
	s.loader = l
	s.batch = l.NewBatch()
}

// toLoad opens the database for loading, if it is not.
func (s *store) toLoad() error {
	if s.failed != nil {
		return s.failed
	}
	if s.loader != nil {
		return nil
	}
	if err := s.stopReading(); err != nil {
		return err
	}
	loader, err := s.engine.Resume(s.dir, s.cfg)
	if err == nil {
		s.startLoading(loader)
	}
	return err
}

// toRead opens the database for reading with an empty cache, if it is not.
func (s *store) toRead() error {
	if s.db != nil {
		return nil
	}
	if err := s.stopLoading(); err != nil {
		return err
	}
	s.cold = ColdReads{}
	opened, err := s.engine.OpenStore(s.ctx, s.dir, s.cfg)
	if err != nil {
		return err
	}
	db, err := opened.Open(engine.OpenConfig{CacheBytes: s.cache, Trace: s.cold.Read})
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	s.opened, s.db = opened, db
	return nil
}

func (s *store) stopReading() error {
	if s.db == nil {
		return nil
	}
	err := cmp.Or(s.db.Close(), s.opened.Close())
	s.db, s.opened = nil, nil
	return err
}

func (s *store) stopLoading() error {
	if s.loader == nil || s.failed != nil {
		return s.failed
	}
	err := s.write(func() error { return cmp.Or(s.batch.Close(), s.loader.Close()) })
	s.loader, s.batch = nil, nil
	return err
}

// write runs work on the loader, and returns even if the library fails and work does not.
func (s *store) write(work func() error) error {
	var own error
	if err := loading.Guard(s.loader, func() error { own = work(); return nil }); err != nil {
		s.failed = err
		return err
	}
	return own
}

func (s *store) Load(records []adapter.Record) error {
	if err := s.toLoad(); err != nil {
		return err
	}
	s.grown = true
	return s.write(func() error {
		for _, r := range records {
			if err := s.batch.Set(r.Key, r.Value); err != nil {
				return err
			}
		}
		return s.batch.Commit()
	})
}

// Commit makes what was loaded durable. There is no root.
func (s *store) Commit() (root []byte, err error) {
	if err := s.toLoad(); err != nil {
		return nil, err
	}
	return nil, s.write(s.loader.Sync)
}

func (s *store) Get(keys [][]byte, proofs bool, answers []adapter.Answer) error {
	if proofs {
		return fmt.Errorf("%s has no proofs", s.engine.Name())
	}
	if err := s.toRead(); err != nil {
		return err
	}
	for i, key := range keys {
		s.cold.Next()
		a := &answers[i]
		var err error
		if a.Value, a.Found, err = s.db.Get(key, a.Value[:0]); err != nil {
			return err
		}
		if !a.Found {
			a.Value = a.Value[:0]
		}
	}
	return nil
}

func (s *store) Check([]byte, []adapter.Claim) ([]bool, error) {
	return nil, fmt.Errorf("%s has no proofs", s.engine.Name())
}

// Stats returns counts of the lookups since the database was last opened for reading.
func (s *store) Stats() ([]adapter.Stat, error) {
	if s.db == nil {
		return nil, nil
	}
	c := s.db.Counts()
	return append([]adapter.Stat{
		adapter.Count("block_cache_hits", c.BlockCacheHits), adapter.Count("block_cache_misses", c.BlockCacheMisses),
		adapter.Count("file_reads", c.Reads.Count.Sum()),
		{Name: "file_bytes", Unit: "bytes", Value: float64(c.Reads.Bytes.Sum())},
	}, s.cold.Stats()...), nil
}

// DropCaches closes the database; the next lookup opens it with an empty cache.
func (s *store) DropCaches() error { return s.stopReading() }

// Quiesce waits for the compactions of what was loaded since the last call.
func (s *store) Quiesce(working func(string)) error {
	if !s.grown {
		return nil
	}
	if err := s.toLoad(); err != nil {
		return err
	}
	err := s.write(func() error {
		return s.loader.Settle(s.ctx, func(t engine.SettleProgress) {
			working(fmt.Sprintf("%d compactions under way, %s due", t.Compactions, humanize.IBytes(uint64(t.DebtBytes))))
		})
	})
	if err != nil {
		return err
	}
	s.grown = false
	return s.stopLoading()
}

func (s *store) Close() error { return cmp.Or(s.stopReading(), s.stopLoading()) }
