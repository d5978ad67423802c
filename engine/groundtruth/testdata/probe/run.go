package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"getio/dataset"
	"getio/engine"
	"getio/engine/groundtruth"
)

// lookup is one Get and what it must find: key number i, or nothing.
type lookup struct {
	key     [dataset.KeySize]byte
	i       uint64
	present bool
}

// run is one open of the tree: its Gets start with an empty cache and are counted window by
// window.
type run struct {
	name      string
	windows   [][]lookup
	cache     int64
	workers   int
	openFiles int
}

type prober struct {
	engine  engine.Engine
	dir     string
	cfg     engine.Config
	dataset *keysAndValues
	inside  func() groundtruth.Figures
	report  *groundtruth.Report
}

// all makes every run. Cache sizes lie below, among and above those of the tree's indexes
// and filters; without a cache, every access is a read.
func (p *prober) all(gets int) error {
	present := p.windows(0, gets, gets)
	mixed := p.windows(50, gets/2, gets/2)
	for _, keys := range []struct {
		name    string
		windows [][]lookup
	}{{"present", present}, {"mixed", mixed}} {
		for _, cache := range []int64{768 << 10, 2 << 20, 64 << 20} {
			for _, workers := range []int{1, 8} {
				if err := p.run(run{name: keys.name, windows: keys.windows, cache: cache, workers: workers}); err != nil {
					return err
				}
			}
		}
		if err := p.run(run{name: keys.name, windows: keys.windows, cache: 0, workers: 1}); err != nil {
			return err
		}
	}
	// Gets that share loads, and Gets that reopen tables.
	if err := p.run(run{name: "mixed", windows: mixed, cache: 0, workers: 8}); err != nil {
		return err
	}
	return p.run(run{name: "mixed", windows: mixed, cache: 2 << 20, workers: 8, openFiles: 74})
}

// windows draws windows of the given numbers of Gets, absentPercent of them for absent keys.
func (p *prober) windows(absentPercent int, gets ...int) [][]lookup {
	random := rand.New(rand.NewPCG(seed, uint64(absentPercent)+1))
	windows := make([][]lookup, len(gets))
	for w, n := range gets {
		for range n {
			var l lookup
			if random.IntN(100) < absentPercent {
				p.dataset.keys.Absent(random.Uint64(), &l.key)
			} else {
				l.i, l.present = random.Uint64N(p.dataset.keys.Len()), true
				p.dataset.keys.Key(l.i, &l.key)
			}
			windows[w] = append(windows[w], l)
		}
	}
	return windows
}

func (p *prober) run(r run) error {
	cfg := p.cfg
	if r.openFiles > 0 {
		var err error
		if cfg, err = cfg.With(fmt.Sprintf("max_open_files=%d", r.openFiles)); err != nil {
			return err
		}
	}
	store, err := p.engine.OpenStore(context.Background(), p.dir, cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	db, err := store.Open(engine.OpenConfig{CacheBytes: r.cache})
	if err != nil {
		return err
	}
	defer db.Close()
	for part, lookups := range r.windows {
		counts, inside := db.Counts(), p.inside()
		gets, err := p.look(db, lookups, r)
		if err != nil {
			return err
		}
		run := db.Counts().Sub(counts)
		w := groundtruth.Window{
			Keys: r.name, Workers: r.workers, CacheBytes: r.cache, OpenFiles: r.openFiles, Part: part, Gets: gets,
			Outside: outside(run),
			Inside:  since(p.inside(), inside),
		}
		for _, c := range db.Check(run) {
			if !c.OK {
				w.FailedChecks = append(w.FailedChecks, c.Name+": "+c.Detail)
			}
		}
		p.report.Windows = append(p.report.Windows, w)
	}
	return nil
}

// look makes and checks the Gets of one window and returns their number.
func (p *prober) look(db engine.DB, lookups []lookup, r run) (gets int64, err error) {
	var group sync.WaitGroup
	errs := make([]error, r.workers)
	for w := range r.workers {
		share := lookups[w*len(lookups)/r.workers : (w+1)*len(lookups)/r.workers]
		gets += int64(len(share))
		group.Go(func() { errs[w] = p.getAll(db, share) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return gets, nil
}

func (p *prober) getAll(db engine.DB, lookups []lookup) error {
	var buf []byte
	for _, l := range lookups {
		value, found, err := db.Get(l.key[:], buf)
		switch {
		case err != nil:
			return err
		case found != l.present:
			return fmt.Errorf("key %x: found %t, want %t", l.key, found, l.present)
		case found && !p.dataset.values.Check(l.i, value):
			return fmt.Errorf("key %x has a wrong value", l.key)
		}
		buf = value
	}
	return nil
}
