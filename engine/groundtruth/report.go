package groundtruth

import "getio/tree/readpath"

// Report is the program's output for one tree, in JSON.
type Report struct {
	Engine       string
	Version      string // of the library, as the engine states it
	Format       int
	TableFormats map[string]int // tables by their format
	Levels       []Level
	Windows      []Window
}

// Level is a non-empty level of the tree. Tables have two-level or single-level indexes.
type Level struct {
	Level, Sublevels           int
	Tables, TwoLevel, Filtered int
}

// Window is a number of Gets, counted by the engine from outside and by the patched
// library from inside.
type Window struct {
	Keys       string // which keys were looked up
	Workers    int
	CacheBytes int64 // 0: a cache that keeps nothing
	OpenFiles  int   // the limit on open tables; 0: the preset's
	Part       int   // which window of its run; part 0 begins with nothing cached
	Gets       int64

	Outside Figures
	Inside  Figures
	// FailedChecks lists the self-checks of the engine that failed.
	FailedChecks []string
}

// Figures are the counts of one side.
type Figures struct {
	Accesses readpath.PerComponent
	// Misses are accesses that the block cache could not serve. It is empty from outside,
	// where only their sum is known.
	Misses  readpath.PerComponent
	Reads   readpath.PerComponent
	Footers int64 // of Reads and of Accesses; they bypass the block cache

	BlockCacheHits, BlockCacheMisses int64
	// SharedLoads are misses that waited for another Get's read.
	SharedLoads int64
	// Probed is the number that the engine splits index and data accesses by.
	Probed int64
	// SplitExact means that the engine claims an exact split of index and data accesses.
	SplitExact bool
}
