// Package pebble holds tests of both Pebble engines, which v1 and v2 are. What they share is in pebbledb (databases),
// pebblestore (an open database) and sstfile (tables).
package pebble
