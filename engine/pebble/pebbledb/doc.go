// Package pebbledb holds what the engines for Pebble v1 and v2 share: database directories,
// OPTIONS files, configurations and presets, counters, and the installation of built tables.
package pebbledb
