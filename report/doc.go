// Package report writes records as text for people: the shape of a database, one
// measurement, a sweep over cache sizes, a comparison, a client's operations; as
// Markdown; and as Go benchmarks.
//
// Every function writes plain text to an io.Writer and opens no database. The text has no
// escape codes and fits 80 columns; tables take the width of a terminal. Markdown and Benchmarks write a whole study in
// formats with their own widths. Two rules hold throughout:
//
//   - A figure that the record does not have is printed as "-", never as 0.
//
//   - No figure is printed of a run whose self-checks failed.
//
// Sizes are in IEC units (45.0 MiB). Counts are in full where there is space, otherwise
// with three digits and k, M or G (7.41M). A figure after "~" is estimated.
//
// Where to look: a file is named after the text that it writes (measurement.go, sweep.go,
// chain.go ...). table.go declares columns, texttable.go and printer.go lay out text, and cells.go
// writes figures of runs, which many tables have; provenance.go and curveprovenance.go say how figures were
// obtained; sweep.go, inspect.go and advice.go explain a curve, a tree and a cache in sentences, and
// findings.go says what a study found; sections.go, markdown.go and benchmarks.go write whole studies.
// Files that write whole studies use those that write smaller texts, never the reverse.
package report
