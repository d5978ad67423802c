// Package chain runs client operations on a chaindata directory: fetching a block, a
// transaction or a balance. It uses go-ethereum's own code over getio's engines, so that
// each operation can be followed down to the keys it gets, the blocks of tables they need,
// and the reads.
//
// None of a client's own caches lie between the operation and the store: the counts are
// those of an operation that they do not serve.
package chain
