package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"getio/engine"
	"getio/engine/readpath"
	"getio/workload/dataset"
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
	keys      string // which keys are looked up
	cache     int64  // 0: a cache that keeps nothing
	workers   int
	openFiles int // the limit on open tables; 0: the preset's
}

// window is a number of Gets, counted by the engine from outside and by the patched library
// from inside.
type window struct {
	run
	part    int // which window of its run; part 0 begins with nothing cached
	gets    int
	outside engine.Counts
	inside  inside
	checks  []readpath.Check
}

type prober struct {
	*testing.T
	engine  engine.Engine
	dir     string
	cfg     engine.Config
	dataset keysAndValues
	inside  func() inside
}

// all makes every run. Cache sizes lie below, among and above those of the tree's indexes
// and filters; without a cache, every access is a read.
func (p *prober) all(gets int) (all []window) {
	lookups := map[string][][]lookup{"present": p.lookups(0, gets, gets), "mixed": p.lookups(50, gets/2, gets/2)}
	var runs []run
	for _, keys := range []string{"present", "mixed"} {
		for _, cache := range []int64{768 << 10, 2 << 20, 64 << 20} {
			runs = append(runs, run{keys: keys, cache: cache, workers: 1}, run{keys: keys, cache: cache, workers: 8})
		}
		runs = append(runs, run{keys: keys, workers: 1})
	}
	// Gets that share loads, and Gets that reopen tables.
	runs = append(runs, run{keys: "mixed", workers: 8}, run{keys: "mixed", cache: 2 << 20, workers: 8, openFiles: 74})
	for _, r := range runs {
		all = append(all, p.run(r, lookups[r.keys])...)
	}
	return all
}

// lookups draws windows of the given numbers of Gets, absentPercent of them for absent keys.
func (p *prober) lookups(absentPercent int, gets ...int) [][]lookup {
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

func (p *prober) store(cfg engine.Config) engine.Store {
	store, err := p.engine.OpenStore(context.Background(), p.dir, cfg)
	check(p.T, err)
	return store
}

func (p *prober) run(r run, lookups [][]lookup) (windows []window) {
	cfg := p.cfg
	if r.openFiles > 0 {
		var err error
		cfg, err = cfg.With(fmt.Sprintf("max_open_files=%d", r.openFiles))
		check(p.T, err)
	}
	store := p.store(cfg)
	defer store.Close()
	db, err := store.Open(engine.OpenConfig{CacheBytes: r.cache})
	check(p.T, err)
	defer db.Close()
	for part, gets := range lookups {
		outside, inside := db.Counts(), p.inside()
		p.look(db, gets, r.workers)
		w := window{run: r, part: part, gets: len(gets), outside: db.Counts().Sub(outside), inside: p.inside().sub(inside)}
		w.checks = db.Check(w.outside)
		windows = append(windows, w)
	}
	return windows
}

// look makes and checks the Gets of one window.
func (p *prober) look(db engine.DB, lookups []lookup, workers int) {
	var group sync.WaitGroup
	for w := range workers {
		share := lookups[w*len(lookups)/workers : (w+1)*len(lookups)/workers]
		group.Go(func() {
			var buf []byte
			for _, l := range share {
				value, found, err := db.Get(l.key[:], buf)
				if err != nil || found != l.present || found && !p.dataset.values.Check(l.i, value) {
					p.Errorf("key %x: found %t, want %t, value %x, error %v", l.key, found, l.present, value, err)
					return
				}
				buf = value
			}
		})
	}
	group.Wait()
	if p.Failed() {
		p.FailNow()
	}
}
