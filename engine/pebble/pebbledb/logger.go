package pebbledb

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"getio/engine/loading"
)

// Logger receives the libraries' log messages. It prints nothing. It extracts what was replayed
// from the write-ahead log and reports fatal errors.
type Logger struct {
	*loading.Failures
	mutex    sync.Mutex
	replayed []ReplayedLog
	reading  bool
}

// ReplayedLog is a file of the write-ahead log that the library replayed.
type ReplayedLog struct {
	Number  uint64
	Records int64
}

// NewLogger returns the Logger of a database opened for writing.
func NewLogger() *Logger { return &Logger{Failures: loading.NewFailures()} }

// NewReadLogger returns the Logger of a database opened for reading. Its Fatalf panics:
// the library calls it in the goroutine of the reader, which recovers.
func NewReadLogger() *Logger { return &Logger{Failures: loading.NewFailures(), reading: true} }

// Both versions log this line for each log file (Pebble: open.go, replayWAL). v1 writes the file's number, v2 its
// number and in braces its parts.
var replayedLog = regexp.MustCompile(`(\d+)(?:: \{.*\})? stopped reading at offset: .*; replayed (\d+) keys in \d+ batches`)

// Infof implements both libraries' Logger.
func (l *Logger) Infof(format string, args ...any) {
	m := replayedLog.FindStringSubmatch(fmt.Sprintf(format, args...))
	if m == nil {
		return
	}
	var r ReplayedLog
	r.Number, _ = strconv.ParseUint(m[1], 10, 64)
	r.Records, _ = strconv.ParseInt(m[2], 10, 64)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.replayed = append(l.replayed, r)
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

// Replayed returns the files of the write-ahead log in the order in which they were replayed.
func (l *Logger) Replayed() []ReplayedLog {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.replayed)
}
