package replay

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/record"
)

// Cache is a block cache to simulate.
type Cache struct {
	Bytes    int64 // reserved ones included
	Reserved int64 // not for blocks that Gets look up; divided over the shards
	Shards   int
	// Memory holds the divisions of a machine's memory for which device reads are computed.
	Memory []record.PredictedMemory
}

// Counts counts what the counted Gets did in one cache. Of TableOpen, it has the reads that opened tables again.
type Counts struct {
	Accesses, Misses readpath.PerComponent
	Pages            int64 // that the misses touch
	Windows          Windows
	Device           []DeviceCounts // with each page cache; of the first of a library's variants
}

// Windows holds reads by parts of the counted Gets, which have about equal length.
type Windows [windows]int64

// DeviceCounts counts device reads with one page cache.
type DeviceCounts struct {
	cachesim.Device
	Windows Windows
}

// windows is how many parts of the counted Gets tell how well their mean is known. It is even, so that they can be halved.
const windows = 20

// simulation simulates caches and counts what the counted Gets do in them.
type simulation struct {
	caches []simulated
	counts []Counts
	// waiting are accesses that the caches have not seen yet.
	waiting []access
}

// simulated is a block cache and the page caches behind it.
type simulated struct {
	blocks cachesim.Cache
	pages  []*cachesim.PageCache
}

// access is an access of a block in a window of the counted Gets, or uncounted.
type access struct {
	cachesim.Block
	window int
}

// uncounted is the window of what is not counted.
const uncounted = -1

// chunkAccesses is how many accesses a cache sees at a time: enough to make handing them out cheap.
const chunkAccesses = 1 << 15

// newSimulation simulates each cache in all variants of a library. The first variant has the page caches behind it, which
// begin filled with pages of the store's tables.
func newSimulation(variants []cachesim.Library, caches []Cache, tables engine.Store) (*simulation, error) {
	s := &simulation{}
	pageCaches := 0
	for _, c := range caches {
		pageCaches += len(c.Memory)
	}
	for _, c := range caches {
		for variant, library := range variants {
			blocks, err := library.New(c.Bytes, c.Reserved, c.Shards)
			if err != nil {
				return nil, err
			}
			one := simulated{blocks: blocks}
			if variant == 0 {
				for _, m := range c.Memory {
					pages := cachesim.NewPageCache(m.PageCacheBytes, cachesim.ReadaheadOf(library), filesOf(tables.Shape()), cachesim.SampleOf(m.PageCacheBytes, pageCaches))
					pages.Fill(wyrand.New(1))
					one.pages = append(one.pages, pages)
				}
			}
			s.caches = append(s.caches, one)
			s.counts = append(s.counts, Counts{Device: make([]DeviceCounts, len(one.pages))})
		}
	}
	return s, nil
}

func filesOf(s *lsm.Shape) (files []cachesim.File) {
	for _, l := range s.Levels {
		for _, t := range l.TableList {
			files = append(files, cachesim.File{Number: t.File, Bytes: t.Bytes})
		}
	}
	return files
}

// access sends the accesses of a Get of a window through all caches. Which tables are open does not depend on the block
// cache.
func (s *simulation) access(g Get, window int) {
	for _, a := range g.Accesses {
		in := window
		if a.Component == readpath.TableOpen && !g.opensAgain(a.File) {
			in = uncounted
		}
		s.waiting = append(s.waiting, access{a, in})
	}
	for _, a := range g.Reopens {
		s.waiting = append(s.waiting, access{a, window})
	}
	if len(s.waiting) >= chunkAccesses {
		s.simulate()
	}
}

func (s *simulation) finish() []Counts {
	s.simulate()
	return s.counts
}

// simulate sends the waiting accesses through the caches, on all processors.
func (s *simulation) simulate() {
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range s.caches {
		workers.Go(func() error {
			s.counts[i].send(s.waiting, &s.caches[i])
			return nil
		})
	}
	_ = workers.Wait() // no worker fails
	s.waiting = s.waiting[:0]
}

// send sends accesses through a cache. Reads without a block size, such as of footers and blob values, bypass it.
func (c *Counts) send(accesses []access, cache *simulated) {
	for _, a := range accesses {
		hit := a.Size > 0 && cache.blocks.Access(a.Block)
		counted := a.window != uncounted
		if counted {
			c.Accesses[a.Component]++
		}
		if hit {
			continue
		}
		if counted {
			c.Misses[a.Component]++
			c.Pages += readpath.Pages(a.Offset, int(a.Stored))
			c.Windows[a.window]++
		}
		for i, pages := range cache.pages {
			read := pages.Read(a.File, a.Offset, int(a.Stored))
			if counted {
				d := &c.Device[i]
				d.Device = d.Device.Add(read)
				d.Windows[a.window] += read.Reads
			}
		}
	}
}
