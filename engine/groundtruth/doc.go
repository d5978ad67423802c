// Package groundtruth proves that the engines, with unmodified libraries, count the same as copies of the
// libraries that have counters in their source.
//
// An engine measures an unmodified library: reads come from a wrapped file system and a map of each
// table's regions, accesses from the library's own totals. Neither knows which component a block
// belongs to; the library's function that asks for the block does. The test of this package
// therefore copies each version of Pebble out of the module cache, adds counters where its source
// asks for a block, finds it in the cache, waits for it or reads it (testdata/counters,
// testdata/*.patch), and builds a test program with the copies (testdata/probe) that makes Gets of
// many kinds and compares the two counts, component by component.
//
// The copies live in the user's cache directory, named by a hash of their source, so that
// the go command compiles them once. They are never part of the module: the ordinary build
// only sees the unmodified libraries.
package groundtruth
