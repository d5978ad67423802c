//go:build !(cgo && linux)

package machine

// memoryPerByte is the memory that a byte of a full block cache takes. Without cgo, the libraries
// keep blocks in Go's heap, which is collected when it has doubled.
const memoryPerByte = 2.3
