package trace

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"getio/system/atomicfile"
)

// Writer writes a trace to a temporary file, which Finish renames.
type Writer struct {
	path   string
	header Header
	temp   *atomicfile.Unfinished
	body   *bufio.Writer
	pack   *gzip.Writer // nil if the file is not compressed
	line   []byte
	err    error // the first one
}

// Create begins a trace, compressed if its name ends in ".gz". Only this user can read it: keys of a database may be
// private. It does not overwrite an existing file. recorded is nil if the operations are not those of a running program.
func Create(path string, recorded *Recorded) (*Writer, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s already exists: name another file for the trace, or remove it", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, cannotWrite(path, err)
	}
	temp, err := atomicfile.Begin(path, 0o600)
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	w := &Writer{path: path, header: Header{Recorded: recorded}, temp: temp, body: bufio.NewWriterSize(temp, 1<<16)}
	w.err = w.writeHeader(w.body)
	if compressed(path) {
		w.pack = gzip.NewWriter(w.body)
	}
	return w, nil
}

func cannotWrite(path string, err error) error {
	err = atomicfile.Cause(err) // without the name of the temporary file, which the user does not know
	return fmt.Errorf("cannot write the trace to %s (%w): name another file, or free some space", path, err)
}

// writeHeader writes the first line, which Finish overwrites. In a compressed trace it is a gzip member of its own, stored uncompressed.
func (w *Writer) writeHeader(to io.Writer) error {
	line := w.header.append(nil)
	if !compressed(w.path) {
		_, err := to.Write(line)
		return err
	}
	member, err := gzip.NewWriterLevel(to, gzip.NoCompression)
	if err != nil {
		return err
	}
	if _, err := member.Write(line); err != nil {
		return err
	}
	return member.Close()
}

// Dir is the directory of the trace, wherever it is moved.
func (w *Writer) Dir() string { return w.temp.Dir() }

// Write appends an operation. Finish returns the first error of Write again.
func (w *Writer) Write(o *Operation) error {
	if w.err != nil {
		return w.err
	}
	w.line = o.append(w.line[:0], w.header.Recorded != nil)
	if w.pack != nil {
		_, w.err = w.pack.Write(w.line)
	} else {
		_, w.err = w.body.Write(w.line)
	}
	if w.err != nil {
		w.err = cannotWrite(w.path, w.err)
	}
	return w.err
}

// Finish records the number of warm-up operations and gives the trace its final name. It also
// writes what has changed in Recorded.
func (w *Writer) Finish(warmup int64) error {
	w.header.Warmup = warmup
	err := w.err
	if err == nil && w.pack != nil {
		err = w.pack.Close()
	}
	if err == nil {
		err = w.body.Flush()
	}
	if err == nil {
		err = w.writeHeader(io.NewOffsetWriter(w.temp, 0))
	}
	if err == nil {
		err = w.temp.Sync()
	}
	if _, there := os.Lstat(w.path); err == nil && there == nil {
		w.Discard()
		return fmt.Errorf("%s was created in the meantime: name another file for the trace", w.path)
	}
	if err == nil {
		err = w.temp.Rename()
	}
	w.Discard()
	if err != nil && err != w.err {
		err = cannotWrite(w.path, err)
	}
	return err
}

// Discard removes an unfinished trace.
func (w *Writer) Discard() { w.temp.Discard() }
