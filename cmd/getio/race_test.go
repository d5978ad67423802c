//go:build race

package main

// raceDetector: the libraries, which are built with it too, then check their
// own invariants at every step, so that a load takes a hundred times as long.
const raceDetector = true
