// Package chain asks a chaindata directory what a client's users ask of it: a block,
// a transaction, a balance. It does so by go-ethereum's own code over getio's engines,
// so that an operation is seen all the way down: which keys it gets, which blocks of
// tables these ask for, and which of them are read.
//
// Between the operation and the key-value store there are none of the caches that a
// running client has of its own: what is counted is what the store is asked for when
// these do not help.
package chain
