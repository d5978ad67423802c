// Package level0 measures the cost of L0 tables. It adds more and more of them to a copy of
// a chain that getio made, with compactions held back, and runs client operations at each
// number of tables.
//
// A Get may consult every L0 table, so their filters and indexes are accessed in turn, over
// and over. While the block cache holds all of them they cost no reads. Once it does not, a
// cache that evicts the least recently used block has evicted each before its next turn.
package level0
