// Package mdbx is libmdbx behind the protocol of package adapter: a B+tree in one
// memory-mapped file, as Erigon and Reth keep states in. Its page reads are made by
// the kernel, with no file layer to count them at, so it is not behind the contract
// of package engine: it is measured from outside, as a child process.
package mdbx
