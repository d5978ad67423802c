// Package twin predicts what Gets read in a tree of which only the shape is
// known. It walks Gets down the shape, the blocks that they access in the order
// in which the library accesses them, and lets simulated block caches decide
// which of them are read.
//
// What it takes to be so of a tree: its keys are as likely in one place of a
// table as in another, so that a key's place among the blocks follows from its
// first 64 bits and the table's bounds; a table's data blocks are equally large,
// and so are its index blocks. A Bloom filter errs as often as its size says.
//
// It knows trees and caches, but no engine: how the libraries differ is in
// Library.
package twin
