// Package dataset defines getio datasets: their keys and values, the order in which a load
// writes them, and the manifest (getio.json) that records all of it beside the database.
//
// Nothing of a dataset is stored but the database itself: keys, values and
// orders are functions of a number and a seed, so that a reader can name every
// key that exists, name keys that do not, and check every value it gets back,
// at any size and without memory of its own.
//
// These functions are part of the format. A database on disk holds what they
// returned on the day of its load, so none of them may change; golden tests pin
// them. A new function gets a new kind instead.
package dataset
