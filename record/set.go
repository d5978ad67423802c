package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"getio/engine/readpath"
)

// Set holds the records of files by kind, in their order.
type Set struct {
	Results     []*Result
	Predictions []*Prediction
	Chains      []*Chain
	Level0s     []*Level0
	States      []*State
	Comparisons []*Comparison
	Lines       []json.RawMessage // all of them, as they were written

	// Verify refuses comparisons whose figures contradict each other; nil accepts all.
	Verify func(*Comparison) error
}

// Checks returns the self-checks of all measurements.
func (s *Set) Checks() (all readpath.Checks) {
	for _, r := range s.Results {
		all = append(all, r.Checks...)
	}
	for _, c := range s.Chains {
		all = append(all, c.Checks...)
	}
	for _, l := range s.Level0s {
		for _, row := range l.Rows {
			all = append(all, row.Checks...)
		}
	}
	for _, state := range s.States {
		all = append(all, state.Checks...)
	}
	return all
}

// ReadFiles returns the records of files.
func ReadFiles(paths ...string) (s Set, err error) {
	for _, path := range paths {
		if err := s.ReadFile(path); err != nil {
			return Set{}, err
		}
	}
	return s, nil
}

// ReadFile adds the records of a JSON Lines file. A line that equals an earlier one, byte
// for byte, is the same record and is skipped. It is an error if the file holds no record,
// if its last line was cut short, and if a line is not a known and complete record.
func (s *Set) ReadFile(path string) error {
	data, err := readFile(path)
	if err != nil {
		return unreadable(path, err)
	}
	return s.addLines(path, data)
}

func unreadable(path string, err error) error {
	return fmt.Errorf("%s cannot be read (%w): name a file of records, as sweep and other commands write with --out or --json", path, err)
}

// Read adds the records of JSON Lines as ReadFile does. The path is for errors.
func (s *Set) Read(path string, from io.Reader) error {
	data, err := readBounded(from)
	if err != nil {
		return unreadable(path, err)
	}
	return s.addLines(path, data)
}

func (s *Set) addLines(path string, data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%s holds no records: name a file of records, as sweep and other commands write with --out or --json", path)
	}
	end := completeLines(data)
	if last := bytes.TrimSpace(data[end:]); len(last) > 0 && !json.Valid(last) {
		if err := eachLine(path, data[:end], s.add); err != nil {
			return err
		}
		return fmt.Errorf("%s, line %d is cut short, as an interrupted run leaves it: run the same command again, or remove the line", path, bytes.Count(data[:end], []byte("\n"))+1)
	}
	return eachLine(path, data, s.add)
}

// add adds one record. The caller names the line in front of the error.
func (s *Set) add(line []byte) error {
	if slices.ContainsFunc(s.Lines, func(l json.RawMessage) bool { return bytes.Equal(l, line) }) {
		return nil
	}
	schema, err := schemaOf(line)
	if err != nil {
		return err
	}
	kind := slices.IndexFunc(setKinds, func(k setKind) bool { return slices.Contains(k.schemas, schema) })
	if kind < 0 {
		return unknownSchema(schema)
	}
	into := setKinds[kind].appendNew(s)
	s.Lines = append(s.Lines, slices.Clone(line))
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("is not a valid %s record (%w): remove the line, or name another file", schema, err)
	}
	if r, ok := into.(interface{ validate() error }); ok {
		if err := r.validate(); err != nil {
			return err
		}
	}
	if c, ok := into.(*Comparison); ok && s.Verify != nil {
		return s.Verify(c)
	}
	return nil
}

// setKind is a kind of records of a set.
type setKind struct {
	schemas   []string // the newest first
	appendNew func(*Set) any
}

var setKinds = []setKind{
	{[]string{ResultSchema}, func(s *Set) any { return appendNew(&s.Results) }},
	{[]string{PredictionSchema}, func(s *Set) any { return appendNew(&s.Predictions) }},
	{[]string{ChainSchema}, func(s *Set) any { return appendNew(&s.Chains) }},
	{[]string{Level0Schema}, func(s *Set) any { return appendNew(&s.Level0s) }},
	{stateSchemas, func(s *Set) any { return appendNew(&s.States) }},
	{[]string{ComparisonSchema}, func(s *Set) any { return appendNew(&s.Comparisons) }},
}

func appendNew[R any](list *[]*R) *R {
	r := new(R)
	*list = append(*list, r)
	return r
}

// No figure can be larger: reads per Get or operation, other counts per operation, and keys
// of a store.
const (
	mostReads   = 1e6
	mostCounted = 1e15
	mostKeys    = 1 << 53
)

// validate refuses a measurement that lacks what every measurement has.
func (r *Result) validate() error {
	switch {
	case !r.Measured():
		return missing("Gets")
	case len(r.IOsPerGet.Windows) == 0:
		return missing("I/Os per Get")
	}
	for _, part := range r.Parts() {
		if err := part.checkWindows(); err != nil {
			return err
		}
	}
	return checkReads(r.Checks, "I/Os per Get", append(slices.Clone(r.IOsPerGet.Windows), r.IOsPerGet.Mean)...)
}

// checkWindows refuses windows of components or bytes that are not those of the run. Older records have
// none.
func (r *Result) checkWindows() error {
	io, components, bytes := &r.IOsPerGet, r.Components, r.BytesWindows
	if len(bytes) > 0 && len(bytes) != len(io.Windows) {
		return fmt.Errorf("has bytes of %d windows and I/Os of %d: remove the line, or name another file", len(bytes), len(io.Windows))
	}
	for _, n := range bytes {
		if err := checkRange("bytes in a window", float64(n), mostCounted); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		c := components[name]
		if len(c.Windows) == 0 && (len(bytes) == 0 || c.Misses == 0) {
			continue
		}
		left := c.Misses
		for _, n := range c.Windows {
			if err := checkRange("reads in a window", float64(n), mostCounted); err != nil {
				return err
			}
			left -= n
		}
		if left != 0 || len(c.Windows) != len(io.Windows) {
			return fmt.Errorf("has windows of %.40q that do not add up: remove the line, or name another file", name)
		}
	}
	return nil
}

func (r *Chain) validate() error {
	if r.Shape == nil {
		return missing("the shape of its database")
	}
	o := r.PerOp
	for _, n := range []float64{o.KVGets, o.Tables, o.Blocks, o.Misses, o.BytesRead, o.FreezerItems, o.Microseconds} {
		if err := checkRange("for an operation", n, mostCounted); err != nil {
			return err
		}
	}
	return checkReads(r.Checks, "reads per operation", r.Reads.figures()...)
}

func (r *Level0) validate() error {
	if len(r.Rows) == 0 {
		return missing("numbers of tables")
	}
	for _, row := range r.Rows {
		if row == nil {
			return missing("one of its numbers of tables")
		}
		if err := checkReads(row.Checks, "tables of L0", float64(row.Tables), float64(row.Sublevels)); err != nil {
			return err
		}
		if err := checkRange("bytes of indexes and filters", float64(min(row.IndexBytes, row.FilterBytes)), mostCounted); err != nil {
			return err
		}
		for _, o := range row.Operations {
			if err := checkReads(row.Checks, "reads per operation", o.Reads.figures()...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *State) validate() error {
	switch {
	case s.Keys == 0 || s.Keys > mostKeys || !(s.Load.Seconds >= 1e-6 && s.Load.Seconds <= mostCounted):
		return missing("loaded keys")
	case len(s.Rows) == 0:
		return missing("lookups")
	}
	if p := s.Provenance; p != nil && p.Adapter == "" {
		return missing("the adapter in its provenance")
	}
	rows := s.Rows
	for _, w := range s.Worn {
		rows = append(slices.Clip(rows), w.Rows...)
	}
	for _, row := range rows {
		reads := []float64{row.Cold.Reads}
		if ci := row.Cold.CI95; ci != nil {
			reads = append(reads, ci[:]...)
		}
		for _, b := range row.Budgets {
			reads = append(reads, b.Share)
			for _, r := range []*StateReads{b.LRU, b.Linux, b.Kernel} {
				if r != nil {
					reads = append(reads, r.Reads)
				}
			}
		}
		if err := checkReads(s.Checks, "reads per lookup", reads...); err != nil {
			return err
		}
	}
	return nil
}

// figures returns the mean and the ends of its interval.
func (io *IOsPerGet) figures() []float64 {
	if io.CI95 == nil {
		return []float64{io.Mean}
	}
	return []float64{io.Mean, io.CI95[0], io.CI95[1]}
}

// checkReads refuses figures without self-checks, and impossible numbers of reads.
func checkReads(checks readpath.Checks, of string, figures ...float64) error {
	if len(checks) == 0 {
		return missing("self-checks")
	}
	for _, n := range figures {
		if err := checkRange(of, n, mostReads); err != nil {
			return err
		}
	}
	return nil
}

// checkRange refuses a figure that is not from 0 to most.
func checkRange(of string, n, most float64) error {
	if n >= 0 && n <= most {
		return nil
	}
	return fmt.Errorf("says %g %s, which is impossible: remove the line, or name another file", n, of)
}

func missing(what string) error {
	return fmt.Errorf("is a measurement without %s: remove the line, or name another file", what)
}

// unknownSchema returns the error for a record that is not one of a Set.
func unknownSchema(schema string) error {
	for _, kind := range setKinds {
		known := kind.schemas[0]
		family, _, _ := strings.Cut(known, "/")
		if version, ok := strings.CutPrefix(schema, family+"/"); ok {
			return fmt.Errorf("is a record of version %q of %s, and this getio knows %s: use the getio that wrote it", version, family, known)
		}
	}
	if schema == "" {
		return errors.New("is not a record of getio (it has no schema): remove the line, or name another file")
	}
	return fmt.Errorf("is a record of schema %q, which is not a measurement, comparison or prediction: remove the line, or name another file", schema)
}
