// Package report turns what getio found out into text for people: the shape of
// a database, one measurement, a sweep over cache sizes, and the log lines of
// the published tool.
//
// Every function writes plain text to an io.Writer and opens no database. The
// text has no escape codes, fits 100 columns, and can be pasted anywhere. Markdown
// and Benchmarks write a whole study in formats of others, which have their own
// widths. Two rules hold throughout:
//
//   - A figure that the record does not have is printed as "-", never as 0.
//   - Of a run whose self-checks failed, no figure is printed at all.
//
// Sizes are in IEC units (45.0 MiB). Counts are in full where there is space,
// else with three digits and k, M or G (7.41M). A figure behind "~" is
// estimated.
package report
