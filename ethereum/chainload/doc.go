// Package chainload makes chaindata directories of any size, as geth would write them.
// Accounts and contracts are written in bulk through go-ethereum's StackTrie and schema,
// then blocks with transactions and receipts, then blocks whose changes go through
// go-ethereum's state commits, so that the database is as untidy as a node's. The key-value
// stores are go-ethereum's own, with its own options.
//
// The seed determines everything: the same plan makes the same chain on every machine.
package chainload
