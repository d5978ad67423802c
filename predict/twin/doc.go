// Package twin predicts what Gets read in a tree of which only the shape is
// known. It walks Gets down the shape, the blocks that they access in the order
// in which the library accesses them, and lets simulated block caches decide
// which of them are read.
//
// What it takes to be so of a tree: where a key lies among a table's records
// follows from its first 64 bits, the table's bounds, and how full the key space is
// on either side of it (spread). A table's data blocks are alike, or fall into a few
// kinds, as a trial of the database's own Gets tells (segment); its index blocks are
// equally large. A Bloom filter errs as often as its size says. A key that is not
// there is looked for in two data blocks as often as it falls behind the last key of
// one of them.
//
// It knows trees and caches, but no engine: how the libraries differ is in
// Library.
package twin
