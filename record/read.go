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

// Readings are the records of measurements and predictions that files of records hold,
// in their order.
type Readings struct {
	Results     []*Result
	Predictions []*Prediction
	Chains      []*Chain
	Level0s     []*Level0
	States      []*State
	Lines       []json.RawMessage // all of them, as they were written
}

// Checks are the self-checks of all measurements.
func (r *Readings) Checks() (all Checks) {
	for _, result := range r.Results {
		all = append(all, result.Checks...)
	}
	for _, c := range r.Chains {
		all = append(all, c.Checks...)
	}
	for _, l := range r.Level0s {
		for _, row := range l.Rows {
			all = append(all, row.Checks...)
		}
	}
	for _, s := range r.States {
		all = append(all, s.Checks...)
	}
	return all
}

// Read adds all records of a JSON Lines file. A record that is there already, to the
// byte, is the same one and is not added again. It is an error if the file holds none,
// if its last line was cut short, and if a line is no such record of a version that is
// known here. Comparisons are passed over, and nothing else.
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
	into := r.next(kind.Schema)
	if into == nil {
		return foreign(kind.Schema)
	}
	r.Lines = append(r.Lines, slices.Clone(line))
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("is no %s record (%w): remove the line, or name another file", kind.Schema, err)
	}
	if whole, ok := into.(interface{ complete() error }); ok {
		return whole.complete()
	}
	return nil
}

// next is a new record of a schema, in its place among the others; nil if there is none.
func (r *Readings) next(schema string) any {
	switch schema {
	case ResultSchema:
		return grown(&r.Results)
	case PredictionSchema:
		return grown(&r.Predictions)
	case ChainSchema:
		return grown(&r.Chains)
	case Level0Schema:
		return grown(&r.Level0s)
	case StateSchema:
		return grown(&r.States)
	}
	return nil
}

// grown adds a new record to a list, and returns it.
func grown[R any](list *[]*R) *R {
	one := new(R)
	*list = append(*list, one)
	return one
}

// mostReads per Get, or per operation, are beyond what any tree can cost.
const mostReads = 1e6

// complete refuses a measurement without what every one has.
func (r *Result) complete() error {
	switch {
	case !r.Measured():
		return lacking("Gets")
	case len(r.IOsPerGet.Windows) == 0:
		return lacking("I/Os per Get")
	}
	return sound(r.Checks, r.IOsPerGet.Mean, "I/Os per Get")
}

func (r *Chain) complete() error {
	if r.Shape == nil {
		return lacking("the shape of its database")
	}
	return sound(r.Checks, r.Reads.Mean, "reads per operation")
}

func (r *Level0) complete() error {
	if len(r.Rows) == 0 {
		return lacking("numbers of tables")
	}
	for _, row := range r.Rows {
		if row == nil {
			return lacking("one of its numbers of tables")
		}
		for _, o := range row.Operations {
			if err := sound(row.Checks, o.Reads.Mean, "reads per operation"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *State) complete() error {
	if s.Keys == 0 || s.Load.Seconds <= 0 {
		return lacking("loaded keys")
	}
	for _, row := range s.Rows {
		if err := sound(s.Checks, row.Cold.Reads, "reads per lookup"); err != nil {
			return err
		}
	}
	return nil
}

// sound refuses figures that nothing vouches for, and that cannot be.
func sound(checks Checks, mean float64, of string) error {
	switch {
	case len(checks) == 0:
		return lacking("self-checks")
	case !(mean >= 0 && mean <= mostReads):
		return fmt.Errorf("says %g %s, which cannot be: remove the line, or name another file", mean, of)
	}
	return nil
}

func lacking(what string) error {
	return fmt.Errorf("is a measurement without %s: remove the line, or name another file", what)
}

// foreign says what a record of another schema is.
func foreign(schema string) error {
	for _, known := range []string{ResultSchema, PredictionSchema, ChainSchema, Level0Schema, StateSchema} {
		family, _, _ := strings.Cut(known, "/")
		if version, ok := strings.CutPrefix(schema, family+"/"); ok {
			return fmt.Errorf("is a record of version %q of %s, and this getio knows %s: take the getio that wrote it", version, family, known)
		}
	}
	if schema == "" {
		return errors.New("is no record of getio's: it has no schema; remove the line, or name another file")
	}
	return fmt.Errorf("is a record of schema %q, which is no measurement and no prediction: remove the line, or name another file", schema)
}
