// Package compare compares configurations by alternating runs of the same Gets: what differs,
// by how much, and how certain that is. It also holds ready-made comparisons, with the databases
// that they need.
//
// In each round, every configuration is measured once, from an empty cache, with the same
// warm-up and the same Gets, whose seed is the round's own. The runs of a round are pairs, in
// which the luck of a round's keys cancels out. The ratio of two figures is the exponential of
// the mean of the rounds' log ratios; its 95% interval is Student's t over the rounds. That
// assumes that the log ratios are independent, as their seeds and empty caches make them, and
// normal, as means over 100,000 Gets nearly are. (golang.org/x/perf/benchmath has no paired
// test: its two-sample tests would take the spread between rounds for noise.)
//
// The interval covers other Gets of the same databases. It does not cover how databases that
// were loaded alike differ from each other.
package compare
