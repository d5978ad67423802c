// Package replay sends the block accesses of real Gets through simulated caches.
//
// Without a cache, every access of a block is a read, and reads can be observed. (LevelDB's filters and
// indexes stay in its cache during this pass, up to 256 MiB of them, and their accesses are traced.) So
// one pass over a database, one Get at a time, gives the accesses that the same Gets make with any
// cache, and a simulated cache hits exactly where the library's own would.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"getio/engine"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/predict/cachesim"
	"getio/workload/trace"
)

// Get holds the accesses of one Get. They are valid until the next Get.
type Get struct {
	// Accesses are of blocks, and of values in blob files, which no cache holds.
	Accesses []cachesim.Block
	// Reopens are reads, past the block cache, that open tables again after they were closed (max_open_files).
	Reopens []cachesim.Block
	opened  *openings
	// In is the neighbourhood of its key, if the Gets are a sample.
	In int64
}

// Run is a stream of Gets: a warm-up, then the counted ones.
type Run struct {
	Warmup int64
	// Gets is the number of counted Gets. If it is 0, Curve counts usualGets, or as many more as its figures need, and sets
	// it.
	Gets  int64
	Trace *trace.File // whose Gets are made; nil if keys are drawn
	// Progress, if not nil, is called with the Gets made, warm-up included.
	Progress func(done int64)

	found int64 // counted Gets that found their key
}

// prepared is how many Gets are prepared at a time.
const prepared = 1 << 16

// each opens the database, makes the run's Gets one after another, and calls f with the number of
// Gets made before and the accesses of each. f may make the run longer.
func (r *Run) each(ctx context.Context, s engine.Store, gets keysource.Sequence, f func(made int64, g Get)) (err error) {
	var accesses []cachesim.Block
	numbers := cachesim.Numbers{}
	var unknown error
	opened := openings{first: map[uint64]int64{}, get: -1}
	db, err := s.Open(engine.OpenConfig{TraceAccesses: true, Trace: func(r engine.TableRead) {
		switch {
		case r.Block > 0 || r.Component == readpath.Blob:
			accesses = append(accesses, cachesim.Block{
				Number: numbers.Of(r.File, r.Offset), File: r.File, Offset: r.Offset, Stored: uint32(r.Length), Size: uint32(r.Block), Component: r.Component, TopFilter: r.TopFilter, Hash: r.CacheHash,
			})
		case r.Component == readpath.TableOpen:
			opened.read(r)
		case unknown == nil:
			unknown = fmt.Errorf("file %06d of %s has a block at %d whose compression does not say how large it is", r.File, s.Info().Dir, r.Offset)
		}
	}})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	began := db.Counts()
	r.found = 0
	recorded, _ := gets.(interface{ Seen(g int64) trace.Seen })
	var key, value []byte
	ready := int64(0) // Gets whose keys are prepared
	for made := int64(0); made < r.Warmup+r.Gets; made++ {
		if made%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if made == ready { // f may have made a run longer whose keys were all prepared
			n := min(prepared, r.Warmup+r.Gets-made)
			if err := gets.Prepare(ctx, made, n); err != nil {
				return err
			}
			ready += n
		}
		accesses = accesses[:0]
		opened.get, opened.again = made, opened.again[:0]
		var want keysource.Want
		key, want = gets.Key(made, key)
		var found bool
		if value, found, err = db.Get(key, value); err != nil {
			return err
		}
		if err := gets.Check(made, want, key, found, value); err != nil {
			return err
		}
		if unknown != nil {
			return unknown
		}
		get := Get{Accesses: accesses, Reopens: opened.again, opened: &opened}
		if recorded != nil {
			get.In = recorded.Seen(made).In
		}
		if found {
			get.markFound()
		}
		if found && made >= r.Warmup {
			r.found++
		}
		f(made, get)
		if done := made + 1; r.Progress != nil && done%1024 == 0 {
			r.Progress(done)
		}
	}
	return verify(s.Info().Dir, db, began)
}

// markFound marks the data block that contains the key: in RocksDB, the last data block of the Get. Simulations of
// other libraries ignore it.
func (g *Get) markFound() {
	for i := len(g.Accesses) - 1; i >= 0; i-- {
		if g.Accesses[i].Component == readpath.Data {
			g.Accesses[i].Found = true
			return
		}
	}
}

// openings collects the reads that open tables again, after the first time in a run.
type openings struct {
	get   int64            // under way; -1 if none is
	again []cachesim.Block // read by this Get to open tables again

	mu    sync.Mutex       // RocksDB opens tables in several threads
	first map[uint64]int64 // the Get that opened a table first
}

func (o *openings) read(r engine.TableRead) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if first, known := o.first[r.File]; !known {
		o.first[r.File] = o.get
	} else if first != o.get {
		o.again = append(o.again, cachesim.Block{File: r.File, Offset: r.Offset, Stored: uint32(r.Length), Component: readpath.TableOpen})
	}
}

// opensAgain reports whether the Get opened a table that an earlier one had opened.
func (g *Get) opensAgain(file uint64) bool {
	return len(g.Reopens) > 0 && g.opened.first[file] != g.opened.get
}

// verify runs the self-checks on the counts since began. They fail, for example, if the library ignores a
// damaged filter.
func verify(dir string, db engine.DB, began engine.Counts) error {
	failed := readpath.Checks(db.Check(db.Counts().Sub(began))).Failed()
	if len(failed) == 0 {
		return nil
	}
	var details []string
	for _, check := range failed {
		details = append(details, check.Name+": "+check.Detail)
	}
	return fmt.Errorf("%w for %s (%s), so its figures are not valid: restore it from a copy if it is damaged, otherwise report this error", readpath.ErrChecksFailed, dir, strings.Join(details, "; "))
}
