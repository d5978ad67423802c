// Package adapter is a protocol to measure a store in any language as a child process:
// frames over the child's standard input and output, and both ends of them. docs/adapter.md
// describes it for authors of adapters.
//
// Start and Client are getio's end; Serve is the other end, for adapters in Go.
package adapter

// Version is the version of the protocol. Both ends must use the same.
const Version = 1

// MaxFrame is the largest size of a frame without its length, in bytes.
const MaxFrame = 64 << 20
