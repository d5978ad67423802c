package lsm

// Segment is a part of a table whose data blocks are alike, as shares of the whole
// table: where records differ in size, some blocks hold many of them, and are asked
// for often, and others hold one.
type Segment struct {
	Records, Blocks, Bytes float64
}
