// Package growth models the tree that N random keys grow into in Pebble: the records
// and tables of each level, and the key ranges of the tables.
//
// Level totals follow from Pebble's own rules (levels.go). How the tables of a
// level lie is drawn at random, with a few parameters per kind of level, its
// arrangement (arrangement.go): mean size of a table, spread of sizes, how far a table's
// width follows its records, coverage of the key space, share of tables with a
// gap before. They are means over 45 settled natural trees of 3M to 100M keys,
// the largest with the level sizes of one of 2.5e9, by Pebble v1.1.5; their
// figures, and how they were loaded, are in testdata/natural.csv, and the tests
// hold the model to them.
//
// What such a tree looks like depends on when it is looked at, and on how hard
// it was loaded:
//
//   - L0 is what compactions left of the last flush: nothing in one tree of six,
//     some stretches of it in most, all of it in a few. The model has a fifth of
//     it, on as much of the key space, the last of it at 0.65. L0 accounts for
//     most of how natural trees differ in tables visited per Get (deviation
//     0.4, of 2 to 6).
//   - The base level and the one below cover less the more compactions were
//     behind when the load ended. The model takes what fits the published trees.
//   - In one that has just passed the size at which the base level moves up, the
//     levels above L6 are still filling. Loads with many compactions due fill
//     them sooner than the model does, by up to half of L5.
//
// Neighbouring levels lie as good as independently: the base level and the one
// below share 1.1 times the key space of independent ones, others 1.0 times.
// Nor do neighbours in a level correlate enough to matter (-0.4 to 0.3).
package growth
