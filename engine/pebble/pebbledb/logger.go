package pebbledb

import (
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"

	"getio/engine/loading"
)

// Logger receives the libraries' log messages. It prints nothing. It extracts the number
// of keys replayed from the write-ahead log and reports fatal errors.
type Logger struct {
	*loading.Failures
	replayed atomic.Int64
	reading  bool
}

// NewLogger returns the Logger of a database opened for writing.
func NewLogger() *Logger { return &Logger{Failures: loading.NewFailures()} }

// NewReadLogger returns the Logger of a database opened for reading. Its Fatalf panics:
// the library calls it in the goroutine of the reader, which recovers.
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

// Errorf implements v2's Logger. It does nothing: callers receive the errors as well.
func (l *Logger) Errorf(string, ...any) {}

// Fatalf implements both libraries' Logger. The libraries expect it not to return. For a
// database opened for writing, a background goroutine of the library may call it: it
// reports the failure and blocks that goroutine forever.
func (l *Logger) Fatalf(format string, args ...any) {
	err := newFatal(format, args)
	if l.reading {
		panic(err)
	}
	l.Fail(err)
	select {}
}

// fatal is a fatal error with the library's text. It wraps the errors among the
// arguments, which the library only formats.
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

// ReplayedKeys returns the number of keys replayed from the write-ahead log.
func (l *Logger) ReplayedKeys() int64 { return l.replayed.Load() }
