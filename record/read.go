package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"getio/tree/readpath"
)

// Set are the records of measurements, comparisons and predictions that files of
// records hold, in their order.
type Set struct {
	Results     []*Result
	Predictions []*Prediction
	Chains      []*Chain
	Level0s     []*Level0
	States      []*State
	Comparisons []*Comparison
	Lines       []json.RawMessage // all of them, as they were written
}

// Checks are the self-checks of all measurements.
func (r *Set) Checks() (all readpath.Checks) {
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

// ReadFile adds all records of a JSON Lines file. A record that is there already, to the
// byte, is the same one and is not added again. It is an error if the file holds none,
// if its last line was cut short, and if a line is no such record of a version that is
// known here.
func (r *Set) ReadFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read (%w): name a file of records, as sweep, chain measure and others keep them and --json prints them", path, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%s holds no records: name a file of records, as sweep, chain measure and others keep them and --json prints them", path)
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
func (r *Set) add(line []byte) error {
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
func (r *Set) next(schema string) any {
	switch schema {
	case ResultSchema:
		return grown(&r.Results)
	case PredictionSchema:
		return grown(&r.Predictions)
	case ChainSchema:
		return grown(&r.Chains)
	case Level0Schema:
		return grown(&r.Level0s)
	case StateSchema, stateSchemaV1:
		return grown(&r.States)
	case ComparisonSchema:
		return grown(&r.Comparisons)
	}
	return nil
}

// grown adds a new record to a list, and returns it.
func grown[R any](list *[]*R) *R {
	one := new(R)
	*list = append(*list, one)
	return one
}

// Figures beyond these cannot be: reads per Get or operation that any tree can cost,
// whatever else is counted of one, and keys of a store.
const (
	mostReads   = 1e6
	mostCounted = 1e15
	mostKeys    = 1 << 53
)

// complete refuses a measurement without what every one has.
func (r *Result) complete() error {
	switch {
	case !r.Measured():
		return lacking("Gets")
	case len(r.IOsPerGet.Windows) == 0:
		return lacking("I/Os per Get")
	}
	return sound(r.Checks, "I/Os per Get", r.IOsPerGet.Mean)
}

func (r *Chain) complete() error {
	if r.Shape == nil {
		return lacking("the shape of its database")
	}
	o := r.PerOp
	for _, n := range []float64{o.KVGets, o.Tables, o.Blocks, o.Misses, o.BytesRead, o.FreezerItems, o.Microseconds} {
		if err := possible("for an operation", n, mostCounted); err != nil {
			return err
		}
	}
	return sound(r.Checks, "reads per operation", r.Reads.figures()...)
}

func (r *Level0) complete() error {
	if len(r.Rows) == 0 {
		return lacking("numbers of tables")
	}
	for _, row := range r.Rows {
		if row == nil {
			return lacking("one of its numbers of tables")
		}
		if err := sound(row.Checks, "tables of L0", float64(row.Tables), float64(row.Sublevels)); err != nil {
			return err
		}
		if err := possible("bytes of indexes and filters", float64(min(row.IndexBytes, row.FilterBytes)), mostCounted); err != nil {
			return err
		}
		for _, o := range row.Operations {
			if err := sound(row.Checks, "reads per operation", o.Reads.figures()...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *State) complete() error {
	switch {
	case s.Keys == 0 || s.Keys > mostKeys || !(s.Load.Seconds >= 1e-6 && s.Load.Seconds <= mostCounted):
		return lacking("loaded keys")
	case len(s.Rows) == 0:
		return lacking("lookups")
	}
	for _, row := range s.Rows {
		reads := []float64{row.Cold.Reads}
		if ci := row.Cold.CI95; ci != nil {
			reads = append(reads, ci[:]...)
		}
		for _, b := range row.Budgets {
			reads = append(reads, b.Share, b.Reads.Reads)
			if b.Kernel != nil {
				reads = append(reads, b.Kernel.Reads)
			}
		}
		if err := sound(s.Checks, "reads per lookup", reads...); err != nil {
			return err
		}
	}
	return nil
}

// figures are the mean, and the ends of its interval.
func (io *IOsPerGet) figures() []float64 {
	if io.CI95 == nil {
		return []float64{io.Mean}
	}
	return []float64{io.Mean, io.CI95[0], io.CI95[1]}
}

// sound refuses figures that nothing vouches for, and reads that cannot be.
func sound(checks readpath.Checks, of string, figures ...float64) error {
	if len(checks) == 0 {
		return lacking("self-checks")
	}
	for _, n := range figures {
		if err := possible(of, n, mostReads); err != nil {
			return err
		}
	}
	return nil
}

// possible refuses a figure that is not from 0 to most.
func possible(of string, n, most float64) error {
	if n >= 0 && n <= most {
		return nil
	}
	return fmt.Errorf("says %g %s, which cannot be: remove the line, or name another file", n, of)
}

func lacking(what string) error {
	return fmt.Errorf("is a measurement without %s: remove the line, or name another file", what)
}

// foreign says what a record of another schema is.
func foreign(schema string) error {
	for _, known := range []string{ResultSchema, PredictionSchema, ChainSchema, Level0Schema, StateSchema, ComparisonSchema} {
		family, _, _ := strings.Cut(known, "/")
		if version, ok := strings.CutPrefix(schema, family+"/"); ok {
			return fmt.Errorf("is a record of version %q of %s, and this getio knows %s: take the getio that wrote it", version, family, known)
		}
	}
	if schema == "" {
		return errors.New("is no record of getio's: it has no schema; remove the line, or name another file")
	}
	return fmt.Errorf("is a record of schema %q, which is no measurement, comparison or prediction: remove the line, or name another file", schema)
}
