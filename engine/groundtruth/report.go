package groundtruth

import "getio/tree/readpath"

// Report is what the program found on one tree, as it prints it in JSON.
type Report struct {
	Engine       string
	Version      string // of the library, as the engine states it
	Format       int
	TableFormats map[string]int // tables by their format
	Levels       []Level
	Windows      []Window
}

// Level is one non-empty level of the tree. Tables that are not two-level have
// a single-level index.
type Level struct {
	Level, Sublevels           int
	Tables, TwoLevel, Filtered int
}

// Window is a number of Gets, counted by the engine from outside and by the
// patched library from inside.
type Window struct {
	Keys       string // which keys were looked up
	Workers    int
	CacheBytes int64 // 0: a cache that keeps nothing
	OpenFiles  int   // the limit on open tables; 0: the preset's
	Part       int   // which window of its run; part 0 begins with nothing cached
	Gets       int64

	Outside Figures
	Inside  Figures
	// FailedChecks are the engine's self-checks that did not hold.
	FailedChecks []string
}

// Figures are the counts of one side.
type Figures struct {
	Accesses readpath.PerComponent
	// Misses are accesses that the block cache could not serve. From outside,
	// they are not told apart by component, and the array is empty.
	Misses  readpath.PerComponent
	Reads   readpath.PerComponent
	Footers int64 // of Reads and of Accesses; they bypass the block cache

	BlockCacheHits, BlockCacheMisses int64
	// SharedLoads are misses that waited for another Get's read.
	SharedLoads int64
	// Probed is what the engine says it can tell the split by.
	Probed int64
	// SplitExact tells whether the engine claims to tell index from data
	// accesses exactly.
	SplitExact bool
}
