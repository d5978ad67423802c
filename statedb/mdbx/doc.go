// Package mdbx serves libmdbx over the adapter protocol: a B+tree in one memory-mapped file,
// which Erigon and Reth use for state. The kernel reads its pages, so there is no file layer
// at which getio could count reads. It is measured from outside, as a child process.
package mdbx
