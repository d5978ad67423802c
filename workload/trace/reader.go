package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"getio/system/filesystem"
)

// Reader reads a trace, one operation at a time.
type Reader struct {
	path   string
	file   *os.File
	unpack *gzip.Reader // nil if the file is not compressed
	lines  *bufio.Reader
	long   []byte // a line that does not fit the buffer of lines
	number int    // of the line
	header Header
}

// maxLine is above the length of any valid line. maxIdle bounds the bytes between two operations: a small compressed
// file may unpack to any number of empty lines.
const (
	maxLine = 64 << 20
	maxIdle = 2 * maxLine
)

// NewReader opens a trace, which is compressed if its name ends in ".gz".
func NewReader(path string) (*Reader, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil: // os.Open says why
	case fi.IsDir():
		return nil, fmt.Errorf("%s is a directory, not a trace: name a trace file, as described in docs/traces.md", path)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: a trace is read several times, so write it to a file first", path)
	}
	f, err := filesystem.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the trace (%w): name a trace file, as described in docs/traces.md", err)
	}
	r := &Reader{path: path, file: f}
	if err := r.begin(f); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// begin reads the first line.
func (r *Reader) begin(content io.Reader) (err error) {
	if compressed(r.path) {
		if r.unpack, err = gzip.NewReader(content); err != nil {
			return fmt.Errorf("cannot decompress %s (%w): compress it with gzip, or choose a name that does not end in .gz", r.path, err)
		}
		content = r.unpack
	}
	r.lines = bufio.NewReaderSize(content, 1<<16)
	line, err := r.line()
	if err != nil && err != io.EOF {
		return err
	}
	if r.header, err = parseHeader(line); err != nil {
		return r.wrong(err)
	}
	return nil
}

func compressed(path string) bool { return strings.HasSuffix(path, ".gz") }

// line reads the next line and strips its line break.
func (r *Reader) line() ([]byte, error) {
	r.number++
	line, err := r.lines.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = append(r.long[:0], line...)
		for err == bufio.ErrBufferFull && len(r.long) <= maxLine {
			line, err = r.lines.ReadSlice('\n')
			r.long = append(r.long, line...)
		}
		if line = r.long; len(line) > maxLine {
			return nil, r.wrong(fmt.Errorf("the line is longer than %d bytes", maxLine))
		}
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s, line %d: cannot read further (%w): the file is damaged or truncated", r.path, r.number, err)
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// Next reads the next operation into o and reuses its buffers. It returns io.EOF after the
// last one.
func (r *Reader) Next(o *Operation) error {
	for idle := 0; ; {
		line, err := r.line()
		if err != nil {
			return err
		}
		idle += len(line) + 1
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			if idle > maxIdle {
				return r.wrong(fmt.Errorf("the lines before it hold no operation for more than %d bytes: remove empty lines and comments", maxIdle))
			}
			continue
		}
		if err := o.parse(line, r.header.Recorded != nil); err != nil {
			return r.wrong(err)
		}
		return nil
	}
}

// Line returns the line number of the last operation read.
func (r *Reader) Line() int { return r.number }

// wrong adds the file and line to an error.
func (r *Reader) wrong(err error) error {
	return fmt.Errorf("%s, line %d: %w", r.path, r.number, err)
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.unpack != nil {
		return errors.Join(r.unpack.Close(), r.file.Close())
	}
	return r.file.Close()
}
