//go:build !cgo

package main

// stdoutClosed reports whether the program was started without a standard output, as far as that is known.
func stdoutClosed() bool { return false }
