//go:build race

package device

// raceEnabled reports whether the race detector is on; it makes pools drop some contents.
const raceEnabled = true
