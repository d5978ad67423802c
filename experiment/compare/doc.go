// Package compare says what differs between two configurations, by how much, and how
// sure that is.
//
// Both were measured in rounds: in each, every configuration once, from an empty cache,
// with the same warm-up and the same Gets, whose seed is the round's own. So the two
// runs of a round are a pair, and what the keys of a round have in store for both of
// them cancels out. The ratio of two figures is the exponential of the mean of the
// rounds' log ratios, and its 95% interval that of Student's t over them. This assumes that
// the rounds' log ratios are independent, which their seeds and empty caches make them, and
// normal, which means over 100,000 Gets nearly are. (golang.org/x/perf/benchmath has no test
// of pairs: its two-sample tests would take the rounds' own spread for noise.)
//
// The interval is about other Gets of the same databases. How databases that were
// loaded alike differ among themselves it does not know.
//
// It is a ground package: it knows no engine.
package compare
