// Package groundtruth proves that what the engines count from outside is what
// the libraries do inside.
//
// An engine measures an unmodified library: reads come from a wrapped file
// system and a map of each table's regions, accesses from the library's own
// totals. Neither is told which component a block belongs to. The library
// knows: the function that asks for a block says so. The test of this package
// therefore copies each Pebble out of the module cache, adds counters where
// its source asks for a block, finds it in the cache, waits for it or reads it
// (testdata/counters, patches_v1_test.go, patches_v2_test.go), builds a program
// against the copies (testdata/probe), has it make Gets of many kinds, and
// holds the two counts against each other, component by component.
//
// The copies live in the user's cache directory, named by a hash of what they
// are made of, so that the go command builds them once. They are never part of
// the module: the ordinary build sees the unmodified libraries only.
//
// This file and report.go are what the test and the program share.
package groundtruth
