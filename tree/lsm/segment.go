package lsm

// Segment is a part of a table whose data blocks are alike: where records differ in
// size, some blocks hold many of them, and are asked for often, and others hold one.
type Segment struct {
	Records, Blocks float64 // shares of the table's
	BlockBytes      float64 // mean size of its blocks in the cache
}
