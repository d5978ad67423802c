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
)

// Reader reads a trace from its beginning, an operation at a time.
type Reader struct {
	path   string
	file   *os.File
	unpack *gzip.Reader // nil: it is not compressed
	lines  *bufio.Reader
	long   []byte // a line that the buffer of lines cannot hold
	number int    // of the line
	warmup int64
}

// maxLine is longer than the longest line can be that makes sense.
const maxLine = 64 << 20

// NewReader opens a trace; it is compressed if its name ends in ".gz".
func NewReader(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the trace cannot be read (%w): name a file as docs/traces.md describes it", err)
	}
	if fi, err := f.Stat(); err != nil || fi.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a directory, and no trace: name a file as docs/traces.md describes it", path)
	}
	r := &Reader{path: path, file: f}
	if err := r.begin(f); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// begin reads the first line of what the file holds.
func (r *Reader) begin(content io.Reader) (err error) {
	if compressed(r.path) {
		if r.unpack, err = gzip.NewReader(content); err != nil {
			return fmt.Errorf("%s cannot be decompressed (%w): write it with gzip, or under a name that does not end in .gz", r.path, err)
		}
		content = r.unpack
	}
	r.lines = bufio.NewReaderSize(content, 1<<16)
	line, err := r.line()
	if err != nil && err != io.EOF {
		return err
	}
	if r.warmup, err = parseHeader(line); err != nil {
		return r.wrong(err)
	}
	return nil
}

func compressed(path string) bool { return strings.HasSuffix(path, ".gz") }

// line reads the next line, without its end.
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
		return nil, fmt.Errorf("%s, line %d: it cannot be read any further (%w): it is damaged, or cut short", r.path, r.number, err)
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// Next reads the next operation over o, whose buffers it uses again. It is io.EOF
// behind the last one.
func (r *Reader) Next(o *Operation) error {
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := o.parse(line); err != nil {
			return r.wrong(err)
		}
		return nil
	}
}

// Line is the number of the line of the last operation that was read.
func (r *Reader) Line() int { return r.number }

// wrong says where something is wrong.
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
