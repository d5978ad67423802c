// Package dataset defines getio datasets: their keys and values, the order in which a load
// writes them, and the manifest (getio.json) that records all of it beside the database.
//
// Keys, values and orders are not stored. They are functions of a number and a seed, so a
// reader can generate every key that exists and keys that do not, and can check every
// value, at any size and without using memory.
//
// These functions are part of the format: databases on disk hold their results, so they
// must never change. Golden tests pin them. A new function gets a new kind.
package dataset
