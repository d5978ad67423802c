// Package bench measures what measuring and loading cost. Its benchmarks print ratios of
// runs made side by side, in turn, in one process: 'make bench' runs them. They
// decide no test.
package bench
