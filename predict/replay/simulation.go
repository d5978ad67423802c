package replay

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"getio/engine/readpath"
	"getio/predict/cachesim"
)

// Cache is a block cache to simulate.
type Cache struct {
	Bytes    int64 // reserved ones included
	Reserved int64 // not for blocks that Gets look up; divided over the shards
	Shards   int
}

// Counts counts what the counted Gets did in one cache. Of TableOpen, it has the reads that opened tables again.
type Counts struct {
	Accesses, Misses readpath.PerComponent
	Pages            int64          // that the misses touch
	Windows          [windows]int64 // all misses, by parts of the counted Gets as equal as can be
}

// windows is how many parts of the counted Gets tell how well their mean is known. It is even, so that they can be halved.
const windows = 20

// simulation simulates caches and counts what the counted Gets do in them.
type simulation struct {
	caches []cachesim.Cache
	counts []Counts
	// waiting are accesses that the caches have not seen yet.
	waiting []access
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

// newSimulation simulates each cache in all variants of a library.
func newSimulation(variants []cachesim.Library, caches []Cache) (*simulation, error) {
	s := &simulation{}
	for _, c := range caches {
		for _, library := range variants {
			simulated, err := library.New(c.Bytes, c.Reserved, c.Shards)
			if err != nil {
				return nil, err
			}
			s.caches = append(s.caches, simulated)
		}
	}
	s.counts = make([]Counts, len(s.caches))
	return s, nil
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
	if window != uncounted {
		for i := range s.counts {
			s.counts[i].Accesses[readpath.TableOpen] += g.Reopens
			s.counts[i].miss(readpath.TableOpen, window, g.Reopens, g.ReopenPages)
		}
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
	for i, cache := range s.caches {
		workers.Go(func() error {
			s.counts[i].send(s.waiting, cache)
			return nil
		})
	}
	_ = workers.Wait() // no worker fails
	s.waiting = s.waiting[:0]
}

// send sends accesses through a cache, and counts those to be counted. No cache holds values of blob files.
func (c *Counts) send(accesses []access, cache cachesim.Cache) {
	for _, a := range accesses {
		hit := a.Component != readpath.Blob && cache.Access(a.Block)
		if a.window == uncounted {
			continue
		}
		c.Accesses[a.Component]++
		if !hit {
			c.miss(a.Component, a.window, 1, readpath.Pages(a.Offset, int(a.Stored)))
		}
	}
}

func (c *Counts) miss(of readpath.Component, window int, reads, pages int64) {
	c.Misses[of] += reads
	c.Pages += pages
	c.Windows[window] += reads
}
