// Package chaindata describes what geth keeps in its key-value store and in the freezer
// beside it: the category of each key, the scheme of the state tries, and the size of the
// freezer's tables.
//
// The facts are those of go-ethereum 1.17.10 (core/rawdb: schema.go, database.go,
// freezer_table.go); categories are named as in geth's own inspection.
package chaindata
