package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// WriteLine writes v as one line of JSON.
func WriteLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Append adds v as one line to the file, creating it if needed, and syncs it,
// so that what is finished survives an interruption. A last line that an
// earlier interruption cut short is removed first.
func Append(path string, v any) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := endOfLastLine(f)
	if err != nil {
		return err
	}
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

func endOfLastLine(f *os.File) (int64, error) {
	data, err := io.ReadAll(f)
	return int64(bytes.LastIndexByte(data, '\n') + 1), err
}

// ReadResults reads the measurements of Gets of a JSON Lines file; other schemas are
// passed over. A file that is not there holds none. A last line without its
// end was cut short by an interruption and is ignored.
func ReadResults(path string) ([]*Result, error) { return readKind[Result](path, ResultSchema) }

// ReadChains is ReadResults for measurements of a client's operations.
func ReadChains(path string) ([]*Chain, error) { return readKind[Chain](path, ChainSchema) }

func readKind[T any](path string, schemas ...string) (records []*T, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, len(data)+1)
	for n := 1; scanner.Scan(); n++ {
		var kind struct {
			Schema string `json:"schema"`
		}
		err := json.Unmarshal(scanner.Bytes(), &kind)
		if err == nil && slices.Contains(schemas, kind.Schema) {
			records = append(records, new(T))
			err = json.Unmarshal(scanner.Bytes(), records[len(records)-1])
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d is not a record (%v): remove the line or name another file", path, n, err)
		}
	}
	return records, scanner.Err()
}

// ReadStates reads the states of a file of records.
func ReadStates(path string) ([]*State, error) {
	return readKind[State](path, StateSchema, stateSchemaV1)
}
