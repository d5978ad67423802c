// Package growth says which tree a database has that grew naturally: how many
// records and tables each level of a Pebble database of N random keys holds,
// and how its tables lie in the key space.
//
// It is a ground package: a model of trees at rest, without engine or files.
package growth
