package served

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/loading"
	"getio/outside/adapter"
)

// store is a database that is either being loaded or being read: the contract opens
// it in one way at a time, and it is opened in the other one when that is asked for.
type store struct {
	served
	dir   string
	cfg   engine.Config
	cache int64 // bytes

	loader engine.Loader // while it is loaded
	batch  engine.Batch
	grown  bool // since it last settled

	rest engine.Store // while it is read
	db   engine.DB
	cold coldReads

	// failed is what the library cannot go on from. Its calls may never return.
	failed error
}

func (s *store) startLoading(l engine.Loader) {
	s.loader = l
	s.batch = l.NewBatch()
}

// toLoad opens the database for loading.
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

// toRead opens the database for reading, with an empty cache.
func (s *store) toRead() error {
	if s.db != nil {
		return nil
	}
	if err := s.stopLoading(); err != nil {
		return err
	}
	s.cold = coldReads{}
	rest, err := s.engine.OpenStore(s.ctx, s.dir, s.cfg)
	if err != nil {
		return err
	}
	db, err := rest.Open(engine.OpenConfig{CacheBytes: s.cache, Trace: s.cold.read})
	if err != nil {
		return errors.Join(err, rest.Close())
	}
	s.rest, s.db = rest, db
	return nil
}

// stopReading closes what was open for reading.
func (s *store) stopReading() error {
	if s.db == nil {
		return nil
	}
	err := cmp.Or(s.db.Close(), s.rest.Close())
	s.db, s.rest = nil, nil
	return err
}

// stopLoading closes what was open for loading.
func (s *store) stopLoading() error {
	if s.loader == nil || s.failed != nil {
		return s.failed
	}
	err := s.write(func() error { return cmp.Or(s.batch.Close(), s.loader.Close()) })
	s.loader, s.batch = nil, nil
	return err
}

// write does something with the loader, which it may not come back from.
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

// Commit makes durable what Load wrote. There is no root.
func (s *store) Commit() (root []byte, err error) {
	if err := s.toLoad(); err != nil {
		return nil, err
	}
	return nil, s.write(s.loader.Sync)
}

func (s *store) Get(keys [][]byte, proofs bool, answers []adapter.Answer) error {
	if proofs {
		return fmt.Errorf("%s makes no proofs", s.engine.Name())
	}
	if err := s.toRead(); err != nil {
		return err
	}
	for i, key := range keys {
		s.cold.next()
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
	return nil, fmt.Errorf("%s makes no proofs", s.engine.Name())
}

// Stats are the counts of the lookups since the database was last opened for reading.
func (s *store) Stats() ([]adapter.Stat, error) {
	if s.db == nil {
		return nil, nil
	}
	c := s.db.Counts()
	count := func(name string, n int64) adapter.Stat {
		return adapter.Stat{Name: name, Unit: "count", Value: float64(n)}
	}
	return []adapter.Stat{
		count("block_cache_hits", c.BlockCacheHits), count("block_cache_misses", c.BlockCacheMisses),
		count("file_reads", c.Reads.Count.Sum()),
		{Name: "file_bytes", Unit: "bytes", Value: float64(c.Reads.Bytes.Sum())},
		count(adapter.StatColdReads, s.cold.reads), count(adapter.StatColdLarge, s.cold.large),
		{Name: adapter.StatColdBytes, Unit: "bytes", Value: float64(s.cold.pages * pageBytes)},
	}, nil
}

// DropCaches opens the database anew when it is next read.
func (s *store) DropCaches() error { return s.stopReading() }

// Quiesce waits for compactions, of what was loaded since it last did.
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
