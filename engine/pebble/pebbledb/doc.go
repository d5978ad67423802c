// Package pebbledb holds the code that the engines for Pebble v1 and v2 share and that
// imports neither library: database directories, OPTIONS files, configurations and
// presets, counters, and the installation of built tables.
package pebbledb
