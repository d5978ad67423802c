package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Readings are the records of Gets that files of records hold, in their order.
type Readings struct {
	Results     []*Result
	Predictions []*Prediction
	Lines       []json.RawMessage // all of them, as they were written
}

// Read adds all records of a JSON Lines file. A record that is there already, to the
// byte, is the same one and is not added again. It is an error if the file holds none,
// if its last line was cut short, and if a line is no measurement and no prediction
// of a version that is known here. Comparisons are passed over, and nothing else.
func (r *Readings) Read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read (%w): name a file of records, as sweep and reproduce leave them and --json prints them", path, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%s holds no records: name a file of records, as sweep and reproduce leave them and --json prints them", path)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // as some editors begin files
	whole := bytes.HasSuffix(data, []byte("\n"))
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	for i, line := range lines {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		cut := !whole && i == len(lines)-1 && !json.Valid(line)
		if cut {
			return fmt.Errorf("%s, line %d is cut short, as an interrupted run leaves it: run the same command again, or remove the line", path, i+1)
		}
		if err := r.add(line); err != nil {
			return fmt.Errorf("%s, line %d %w", path, i+1, err)
		}
	}
	return nil
}

// add adds one record. Its error goes on from the place of the line.
func (r *Readings) add(line []byte) error {
	if slices.ContainsFunc(r.Lines, func(l json.RawMessage) bool { return bytes.Equal(l, line) }) {
		return nil
	}
	if json.Valid(line) && line[0] != '{' {
		return errors.New("is no record (it is no object): remove the line, or name another file")
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return fmt.Errorf("is no record (%w): remove the line, or name another file", err)
	}
	if kind.Schema == ComparisonSchema { // of measurements that the file has itself
		return nil
	}
	r.Lines = append(r.Lines, slices.Clone(line))
	var into any
	switch kind.Schema {
	case ResultSchema:
		r.Results = append(r.Results, new(Result))
		into = r.Results[len(r.Results)-1]
	case PredictionSchema:
		r.Predictions = append(r.Predictions, new(Prediction))
		into = r.Predictions[len(r.Predictions)-1]
	default:
		return foreign(kind.Schema)
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("is no %s record (%w): remove the line, or name another file", kind.Schema, err)
	}
	if result, ok := into.(*Result); ok {
		return result.complete()
	}
	return nil
}

// mostReads per Get are beyond what any tree can cost.
const mostReads = 1e6

// complete refuses a measurement without what every one has.
func (r *Result) complete() error {
	missing := ""
	switch io := r.IOsPerGet; {
	case !r.Measured():
		missing = "Gets"
	case len(io.Windows) == 0:
		missing = "I/Os per Get"
	case len(r.Checks) == 0:
		missing = "self-checks"
	case !(io.Mean >= 0 && io.Mean <= mostReads):
		return fmt.Errorf("says %g I/Os per Get, which cannot be: remove the line, or name another file", io.Mean)
	default:
		return nil
	}
	return fmt.Errorf("is a measurement without %s: remove the line, or name another file", missing)
}

// foreign says what a record of another schema is.
func foreign(schema string) error {
	for _, known := range []string{ResultSchema, PredictionSchema} {
		family, _, _ := strings.Cut(known, "/")
		if version, ok := strings.CutPrefix(schema, family+"/"); ok {
			return fmt.Errorf("is a record of version %q of %s, and this getio knows %s: take the getio that wrote it", version, family, known)
		}
	}
	if schema == "" {
		return errors.New("is no record of getio's: it has no schema; remove the line, or name another file")
	}
	return fmt.Errorf("is a record of schema %q, which is no measurement and no prediction of Gets: remove the line, or name another file", schema)
}
