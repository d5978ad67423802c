// Package report writes records as text for people: the shape of a database, one measurement, a sweep over cache sizes,
// a comparison, a client's operations; as Markdown; and as Go benchmarks.
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
// Where to look: the texts stand in texts/*.txt, as they look; texts.go reads and writes them. A file of code is
// named after the report that it writes (measurement.go, sweep.go, chain.go ...), decides what the report says and declares
// its tables. table.go lays them out, and cells.go writes figures of runs, which many tables have. markdown.go
// and benchmarks.go write whole studies; they use the files that write smaller reports, never the reverse.
package report
