//go:build race

package device

// raceEnabled: the race detector has pools forget what they keep.
const raceEnabled = true
