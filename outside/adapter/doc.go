// Package adapter is the protocol by which a store in any language is measured as
// a child process: frames over the child's standard input and output, and both
// ends of them. docs/adapter.md describes it for people who write an adapter.
//
// Start and Client are getio's end, Serve is the other one for adapters in Go.
// The package knows no engine.
package adapter

// Version is the version of the protocol. Both ends have to speak the same one.
const Version = 1

// MaxFrame is the most that follows a frame's length, in bytes: kind and payload.
const MaxFrame = 64 << 20
