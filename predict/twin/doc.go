// Package twin predicts the reads of Gets from the shape of a tree alone, with a model of the library's
// read path. It walks Gets down the shape, accesses blocks in the order in which the library does, and
// simulates block caches to decide which accesses are reads.
//
// Assumptions:
//   - A key's place among a table's records follows from its first 64 bits, the table's bounds,
//     and the tables above it (spread).
//   - A table's data blocks are all alike, or of a few kinds that a sample found (segment). Its index blocks are
//     equally large.
//   - Gets find the live records of a table equally often, and each record is live with the same chance (liveCounts).
//     Of those that find their keys in a run, as many go on to older runs, and find records there, as a sample found,
//     where keys are that are not live (goOn).
//   - The false-positive rate of a Bloom filter follows from its bits per key.
//   - An absent key is looked up in two data blocks if it lies beyond the last key of one.
//
// It knows no engine; Library holds the differences between libraries.
package twin
