// Package chaindata knows what geth keeps in its key-value store, and beside it in
// the freezer: which category of data a key is of, by geth's schema, under which
// scheme the state's tries are stored, and how much the freezer's tables hold.
//
// It is a ground package: it knows the schema, but no engine. Its facts are those
// of go-ethereum 1.17.10 (core/rawdb: schema.go, database.go, freezer_table.go);
// categories have the names that geth's own inspection prints.
package chaindata
