// Package overhead measures the cost of measuring and loading. Its benchmarks print ratios of runs
// made in turn in one process ('make bench' runs them). No test depends on them.
package overhead
