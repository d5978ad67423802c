// Package growth models the tree that N random keys grow into in Pebble: the records
// and tables of each level, and the key ranges of the tables.
//
// Level totals follow from Pebble's own rules (levels.go). The tables of a level are drawn at
// random, with a few parameters per kind of level, called its arrangement (arrangement.go): the
// mean size of a table, the spread of sizes, how far a table's width follows its records, the
// coverage of the key space, and the share of tables with a gap before them. The parameters are
// means over 45 settled natural trees of 3M to 100M keys, written by Pebble v1.1.5; the largest has
// the level sizes of a tree of 2.5e9 keys. testdata/natural.csv lists their figures and how they
// were loaded. The tests compare the model with them.
//
// Natural trees differ, depending on the moment and on how hard they were loaded:
//
//   - L0 holds what compactions left of the last flush: nothing in one tree of six, some
//     stretches of it in most, all of it in a few. The model keeps a fifth of the flush,
//     which covers a fifth of the key space and ends at 0.65 of it. L0 causes most of the
//     variation in tables visited per Get (deviation 0.4, of 2 to 6).
//   - The base level and the one below cover less of the key space if more compactions
//     were pending when the load ended. The model uses values that fit the published
//     trees.
//   - In a tree just above the size at which the base level moves up, the levels above L6
//     are still filling. Loads with many pending compactions fill them sooner than the
//     model does, by up to half of L5.
//
// Neighbouring levels are nearly independent: the base level and the one below share 1.1
// times the key space of independent levels, others 1.0 times. Neighbouring tables of a
// level do not correlate enough to matter (-0.4 to 0.3).
package growth
