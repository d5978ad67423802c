// Package chainload makes chaindata directories of any size as geth would have them:
// accounts and contracts written in bulk through go-ethereum's StackTrie and schema,
// blocks with transactions and receipts, and then blocks whose changes go through
// go-ethereum's state commits, so that the database is not tidier than a node's. The
// key-value stores are go-ethereum's own, with its own options.
//
// Everything follows from a seed: a plan makes the same chain on every machine.
package chainload
