// Package metrics shows a run under way to Prometheus: what was counted so far,
// how far it is, and the figures of cache sizes that are finished. Run is fed at
// the turns of windows and batches, while no Get is under way, and Serve answers
// scrapes from what it was fed last: a scrape costs no Get anything. docs/metrics.md
// lists every metric.
package metrics
