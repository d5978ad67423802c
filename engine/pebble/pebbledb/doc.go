// Package pebbledb holds what the engines for Pebble v1 and v2 share and what
// needs neither library: how a database directory is recognised, its options
// file, and the configurations.
package pebbledb
