//go:build race

package device

// raceEnabled: under the race detector, pools drop some of their contents.
const raceEnabled = true
