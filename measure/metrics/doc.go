// Package metrics exports a running measurement to Prometheus: its counts, its progress, and the
// figures of finished cache sizes. Run is updated between windows and batches, while no Get is in
// progress. Serve answers scrapes from the last update, so a scrape does not slow down any Get.
// docs/metrics.md lists every metric.
package metrics
