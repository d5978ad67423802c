package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"getio/numbers/units"
	"getio/workload/popularity"
)

// Setting is a setting of a workload: the flags that set it, and its value in words. Commands, the gate, the names of
// curves and benchmarks, and the texts of runs have them from the lists that Settings return.
type Setting struct {
	Flags      []Flag
	Text       string // the value in a few words, which name curves; empty: the usual one, which goes without saying
	Usual      string // what the gate calls the usual value
	Identity   string // what the gate compares, if that is not Text: it is the same on another machine
	Key, Value string // the line in Go's benchmark format; empty: it has none, or another
	Fact       string // in the sentence that says which operations a run made; empty: that has words of its own
}

// Flag sets a value.
type Flag struct {
	Name, Type, Default, Usage string   // as in help; an empty default leaves the value as it is
	Words                      []string // that completion offers
	Excludes                   []string // flags with which it cannot be combined
	Set                        func(text string) error
	given                      bool
}

// flag returns the flag of a value. The zero value counts as not given.
func flag[T comparable](to *T, name, kind, standard string, parse func(string) (T, error), usage string, excludes ...string) Flag {
	var zero T
	return Flag{
		Name: name, Type: kind, Default: standard, Usage: usage, Excludes: excludes, given: *to != zero,
		Set: func(text string) error {
			v, err := parse(text)
			if err == nil {
				*to = v
			}
			return err
		},
	}
}

// Flags returns the flags of settings, or those of them that are named.
func Flags(settings []Setting, named ...string) (all []Flag) {
	for _, s := range settings {
		for _, f := range s.Flags {
			if len(named) == 0 || slices.Contains(named, f.Name) {
				all = append(all, f)
			}
		}
	}
	return all
}

// Excluding returns the names of the flags that cannot be combined with another one.
func Excluding(settings []Setting, other string) (names []string) {
	for _, f := range Flags(settings) {
		if slices.Contains(f.Excludes, other) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Conflict returns an error if two flags are given that cannot be combined.
func Conflict(settings []Setting, given func(flag string) bool) error {
	for _, f := range Flags(settings) {
		for _, other := range f.Excludes {
			if given(f.Name) && given(other) {
				return fmt.Errorf("--%s cannot be combined with --%s: leave one out", f.Name, other)
			}
		}
	}
	return nil
}

// Limits of settings. At higher rates, clocks cannot distinguish the times at which Gets are due; more workers are typing
// errors.
const (
	MaxWorkers = 4096
	MaxRate    = 10_000_000 // Gets per second
)

// Settings returns the settings, the most telling first. A new one is a field of Keys or Operation, an element of their
// settings, and the code in package measure that heeds it.
func (w *Workload) Settings() []Setting {
	warmup := flag(&w.Warmup, "warmup", "rule", "auto", ParseWarmup, "Gets before the measured ones: auto, a number, or a share of the keys", "time")
	warmup.Words = []string{"auto"}
	return slices.Concat(w.Operation.settings(), w.Keys.Settings(), []Setting{
		{
			Flags: []Flag{flag(&w.Rate, "rate", "count", "", units.CountIn[int64](1, MaxRate), "issue this many Gets per second, such as 20k", "time")},
			Text:  units.If(w.Rate > 0, units.Comma(w.Rate)+" Gets due per second"), Usual: "each Get after the one before",
			Key: "rate", Value: units.If(w.Rate > 0, strconv.FormatInt(w.Rate, 10)),
		},
		{
			Flags: []Flag{flag(&w.Workers, "workers", "count", "", units.CountIn(1, MaxWorkers), "concurrent readers (default: one per processor)")},
			Text:  units.Plural(int64(w.Workers), "worker"),
		},
		{
			Flags: []Flag{warmup},
			Text:  units.If(!w.Warmup.Auto(), "warm-up "+w.Warmup.String()), Usual: "warm-up auto",
		},
		{
			Flags: []Flag{flag(&w.Gets, "gets", "count", "", units.CountIn[int64](1, units.MaxCount), "measured Gets, such as 10M", "time")},
			// The operations of a trace follow one another, so others of it are not a sample of the same figure.
			Identity: units.If(w.traced(), units.ExactCount(w.Gets)+" operations"),
		},
	})
}

func (o *Operation) settings() []Setting {
	s := Setting{Usual: "Gets", Key: "operation", Value: string(o.Kind)}
	records := units.Plural(int64(o.Records), "key")
	switch o.Kind {
	case Scan:
		s.Fact = "each of " + records + " in order"
	case Multiget:
		s.Fact = "each of " + records + " looked up together by an iterator"
	}
	if !o.Kind.IsGet() {
		s.Text = o.Kind.Words().Many + " of " + records
	}
	repeat := func(kind Kind, most int) func(string) error {
		return func(text string) error {
			records, err := units.CountIn(1, most)(text)
			if err == nil {
				o.Kind, o.Records = kind, records
			}
			return err
		}
	}
	s.Flags = []Flag{
		{Name: "scan", Type: "count", Usage: "measure scans of this many records instead of Gets", Set: repeat(Scan, MaxScan), Excludes: []string{"multiget", "trace", "time"}},
		{Name: "multiget", Type: "count", Usage: "look up this many keys at a time", Set: repeat(Multiget, MaxBatch), Excludes: []string{"trace", "time"}},
	}
	return []Setting{s}
}

// Settings returns the settings that say which keys are asked for. A trace says that too, and in which order.
func (k *Keys) Settings() []Setting {
	file := func(name string) (string, error) { return name, nil }
	absent := 100 * k.Absent
	return []Setting{
		{
			Flags: []Flag{flag(&k.Trace, "trace", "file", "", file, "repeat the operations in this file (docs/traces.md)", "time")},
			Text:  k.Trace, Usual: "no trace", Identity: short("trace ", k.TraceSHA256),
			Key: "trace", Value: k.Trace,
		},
		{
			Flags: []Flag{
				flag(&k.Zipf, "zipf", "number", "0", units.NumberIn(false, popularity.MaxZipf), "Zipf exponent of the keys' popularity, such as 0.99", "trace"),
				flag(&k.Hotset, "hotset", "share:share", "", ParseHotset, "1%:90% sends 90% of the Gets to 1% of the keys", "trace"),
			},
			Text: k.Popularity.String(), Usual: "equally popular keys",
			Key: "popularity", Value: k.Popularity.String(),
		},
		{
			Flags: []Flag{flag(&k.Absent, "absent", "share", "0%", ParseAbsent, "share of the Gets whose keys do not exist", "trace")},
			Text:  units.If(absent > 0, units.Percent(k.Absent)+" absent keys"), Usual: "existing keys",
			Identity: units.If(absent > 0, fmt.Sprintf("%.6g%% of the keys absent", absent)),
		},
		{
			Flags: []Flag{flag(&k.KeysFile, "keys-file", "file", "", file, "look up the keys in this file, one per line in hexadecimal", "trace")},
			Text:  k.KeysFile, Usual: "keys of the database", Identity: short("keys file ", k.KeysSHA256),
			Key: "keys-file", Value: k.KeysFile,
		},
		{
			Flags: []Flag{flag(&k.Seed, "seed", "uint", "1", parseSeed, "seed of the keys")},
		},
	}
}

// short names a file by the beginning of its hash; "" if that is not known.
func short(name, hash string) string { return units.If(hash != "", name+hash[:min(len(hash), 12)]) }

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		err = errors.New("want a whole number from 0 on")
	}
	return seed, err
}
