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
// interruption cut short.
func Append(path string, v any) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := readAll(f)
	if err != nil {
		return err
	}
	end := int64(completeLines(data))
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if err := WriteLine(f, v); err != nil {
		return err
	}
	return f.Sync()
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
	data, err := io.ReadAll(f)
	if err == nil && fi.Mode().IsRegular() && int64(len(data)) < fi.Size() {
		err = fmt.Errorf("it ends after %d of its %d bytes", len(data), fi.Size())
	}
	return data, err
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
		if err := f(line); err != nil {
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
