package pebbledb

import (
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"

	"getio/engine/loading"
)

// Logger takes in what the libraries log. It prints nothing; it picks out the
// number of keys that an open replayed from the write-ahead log, and hands on
// what the library cannot go on from.
type Logger struct {
	*loading.Failures
	replayed atomic.Int64
	reading  bool
}

// NewLogger returns the Logger of a database opened for writing.
func NewLogger() *Logger { return &Logger{Failures: loading.NewFailures()} }

// NewReadLogger returns the Logger of a database opened for reading. What the
// library cannot go on from it meets in the goroutine that reads, so that
// Fatalf panics there, to be recovered by the reader.
func NewReadLogger() *Logger { return &Logger{Failures: loading.NewFailures(), reading: true} }

// Both versions log this line for each log file (Pebble: open.go, replayWAL).
var replayedKeys = regexp.MustCompile(`replayed (\d+) keys in \d+ batches`)

// Infof implements both libraries' Logger.
func (l *Logger) Infof(format string, args ...any) {
	if m := replayedKeys.FindStringSubmatch(fmt.Sprintf(format, args...)); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		l.replayed.Add(n)
	}
}

// Errorf implements v2's Logger. Errors also reach the caller that met them.
func (l *Logger) Errorf(string, ...any) {}

// Fatalf implements both libraries' Logger. The libraries count on it not to
// return. Of a database opened for writing, it may be called in a goroutine of
// the library's own: it hands the failure on and parks the goroutine for good.
func (l *Logger) Fatalf(format string, args ...any) {
	err := newFatal(format, args)
	if l.reading {
		panic(err)
	}
	l.Fail(err)
	select {}
}

// fatal is what a library cannot go on from. Its text is the library's; the
// errors among the arguments, which the library formats without wrapping them,
// are its causes.
type fatal struct {
	text   string
	causes []error
}

func newFatal(format string, args []any) error {
	f := &fatal{text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			f.causes = append(f.causes, err)
		}
	}
	return f
}

func (f *fatal) Error() string   { return f.text }
func (f *fatal) Unwrap() []error { return f.causes }

// ReplayedKeys is the number of keys replayed from the write-ahead log.
func (l *Logger) ReplayedKeys() int64 { return l.replayed.Load() }
