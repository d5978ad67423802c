package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/system/atomicfile"
)

// Line returns v as one line of JSON.
func Line(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	return append(line, '\n'), err
}

// WriteLine writes v as one line of JSON.
func WriteLine(w io.Writer, v any) error {
	line, err := Line(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// WriteLines writes each record as one line of JSON.
func WriteLines[R any](w io.Writer, records []R) error {
	for _, r := range records {
		if err := WriteLine(w, r); err != nil {
			return err
		}
	}
	return nil
}

// Append adds v as one line to the file, creating it if needed, and syncs it, so that
// finished records survive an interruption. It first removes a last line that an earlier
// interruption cut short. Several processes may append to one file.
func Append(path string, v any) error {
	f, err := openLocked(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return appendLine(f, v)
}

// openLocked opens a file of records for appending, creates it if needed, and waits until no other process appends to
// it. Closing the file ends the lock.
func openLocked(path string) (*os.File, error) {
	place, err := atomicfile.Follow(path)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	f, err := place.OpenToAppend()
	if err != nil {
		return nil, err
	}
	for unix.Flock(int(f.Fd()), unix.LOCK_EX) == unix.EINTR { // other errors: the file system has no locks
	}
	return f, nil
}

// appendLine adds a line to a locked file and syncs it.
func appendLine(f *os.File, v any) error {
	line, err := Line(v)
	if err != nil {
		return err
	}
	end, err := endOfLines(f)
	if err != nil {
		return err
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(line, end); err != nil {
		return err
	}
	return f.Sync()
}

// endOfLines returns how many bytes the lines of a file take that have an end. It reads the file from its end.
func endOfLines(f *os.File) (int64, error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	part := make([]byte, 64<<10)
	for to := fi.Size(); to > 0; {
		from := max(to-int64(len(part)), 0)
		switch _, err := f.ReadAt(part[:to-from], from); {
		case err == io.EOF:
			return 0, fmt.Errorf("it ends before its %d bytes", fi.Size())
		case err != nil:
			return 0, err
		}
		if n := completeLines(part[:to-from]); n > 0 {
			return from + int64(n), nil
		}
		to = from
	}
	return 0, nil
}

// readFile reads a file. It refuses one that seems to end before its size, as after a failure of the
// device or of a network: what follows would pass for not there.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

func readAll(f *os.File) ([]byte, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := readBounded(f)
	if err == nil && fi.Mode().IsRegular() && int64(len(data)) < fi.Size() {
		err = fmt.Errorf("it ends after %d of its %d bytes", len(data), fi.Size())
	}
	return data, err
}

// These limits keep a wrong file from taking more than half a gigabyte of memory. An object of JSON takes up to a hundred
// times its bytes.
const (
	mostBytes         = 64 << 20
	mostObjects       = 400_000
	mostObjectsOfLine = 50_000
)

func readBounded(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, mostBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > mostBytes:
		return nil, fmt.Errorf("larger than %s", humanize.IBytes(mostBytes))
	case objects(data) > mostObjects:
		return nil, fmt.Errorf("more than %d objects", mostObjects)
	}
	return data, nil
}

// objects returns at least how many objects JSON holds that take memory.
func objects(data []byte) int {
	return bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("null"))
}

// completeLines returns how many bytes the lines take that have an end.
func completeLines(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 }

// eachLine calls f with each line of a file that is not blank, and names the line in front
// of its error.
func eachLine(path string, data []byte, f func(line []byte) error) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin files with it
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		err := error(nil)
		if objects(line) > mostObjectsOfLine {
			err = fmt.Errorf("has more than %d objects: remove the line, or name another file", mostObjectsOfLine)
		} else {
			err = f(line)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d %w", path, n, err)
		}
	}
	return nil
}

// schemaOf returns the schema of a line; "" if it has none.
func schemaOf(line []byte) (string, error) {
	if json.Valid(line) && line[0] != '{' {
		return "", errors.New("is not a record (not a JSON object): remove the line, or name another file")
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return "", fmt.Errorf("is not a record (%w): remove the line, or name another file", err)
	}
	return kind.Schema, nil
}

// readKind reads the records of some schemas from a JSON Lines file and skips others. A file that
// does not exist holds none. A last line without its end was cut short by an interruption and is
// ignored.
func readKind[R any](path string, schemas ...string) (records []*R, err error) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	err = eachLine(path, data[:completeLines(data)], func(line []byte) error {
		schema, err := schemaOf(line)
		if err != nil || !slices.Contains(schemas, schema) {
			return err
		}
		r := new(R)
		if err := json.Unmarshal(line, r); err != nil {
			return fmt.Errorf("is not a valid %s record (%w): remove the line, or name another file", schema, err)
		}
		records = append(records, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}
