// Package flagvalue has flags whose values are parsed once, when they are set: counts, sizes, shares,
// durations, choices, files and directories. Package units parses the numbers.
package flagvalue

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"getio/engine/lsm"
	"getio/numbers/units"
	"getio/workload"
)

// value is the value of a flag whose text is parsed once, when the flag is set.
type value[T any] struct {
	to         *T
	text, kind string
	parse      func(string) (T, error)
	words      []string // for completion
	list       bool     // the value is a list of words, separated by commas
}

func (v *value[T]) Set(text string) error {
	parsed, err := v.parse(text)
	if err == nil {
		*v.to, v.text = parsed, text
	}
	return err
}

func (v *value[T]) String() string { return v.text }

// Type is what help prints behind the flag's name.
func (v *value[T]) Type() string { return v.kind }

// saysWhatIsWanted distinguishes the errors of these values from those of pflag's own.
func (v *value[T]) saysWhatIsWanted() {}

// Var adds a flag of any type. An empty standard leaves *to as it is; any other must parse.
func Var[T any](f *pflag.FlagSet, to *T, name, kind, standard string, parse func(string) (T, error), usage string) *value[T] {
	v := &value[T]{to: to, kind: kind, parse: parse}
	if standard != "" {
		if err := v.Set(standard); err != nil {
			panic(fmt.Sprintf("default of --%s: %v", name, err))
		}
	}
	f.Var(v, name, usage)
	return v
}

// Setting adds a flag of a workload's settings.
func Setting(f *pflag.FlagSet, s workload.Flag) {
	parse := func(text string) (struct{}, error) { return struct{}{}, s.Set(text) }
	Var(f, new(struct{}), s.Name, s.Type, s.Default, parse, s.Usage).Offer(s.Words...)
}

// Count adds a flag for a whole number from least to most, such as 200000 or 10M.
func Count[N int | int64 | uint64](f *pflag.FlagSet, to *N, name, standard string, least, most N, usage string) {
	Var(f, to, name, "count", standard, units.CountIn(least, most), usage)
}

// Size adds a flag for the size of a memory or a disk, such as 20GiB.
func Size(f *pflag.FlagSet, to *int64, name, standard, usage string) {
	Var(f, to, name, "size", standard, units.ParseMemory, usage)
}

// Cache adds a flag for one cache size. No database is known yet: shares and inflection
// points become bytes when one is open.
func Cache(f *pflag.FlagSet, to **lsm.CacheSize, name, usage string) {
	Var(f, to, name, "size", "", func(s string) (*lsm.CacheSize, error) {
		size, err := lsm.ParseCacheSize(s)
		return &size, err
	}, usage).Offer("IP1", "IP2")
}

// Caches adds --cache for a comma-separated list of cache sizes.
func Caches(f *pflag.FlagSet, to *[]lsm.CacheSize, standard, usage string) {
	Var(f, to, "cache", "sizes", standard, ListOf(lsm.ParseCacheSize), usage).OfferList("IP1", "IP2")
}

// ListOf parses what is separated by commas.
func ListOf[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(s string) (list []T, err error) {
		parts := strings.Split(s, ",")
		for _, part := range parts {
			v, err := parse(strings.TrimSpace(part))
			if err != nil && len(parts) > 1 {
				err = fmt.Errorf("%q: %w", part, err)
			}
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
}

// Share adds a flag for a share from least to most, as fractions.
func Share(f *pflag.FlagSet, to *float64, name, standard string, least, most float64, usage string) {
	Var(f, to, name, "share", standard, func(s string) (float64, error) {
		share, err := units.ParseShare(s)
		if err == nil && (share < least || share > most) {
			err = fmt.Errorf("out of range, want %g%% to %g%%", 100*least, 100*most)
		}
		return share, err
	}, usage)
}

// Duration adds a flag for a duration above 0.
func Duration(f *pflag.FlagSet, to *time.Duration, name string, most time.Duration, usage string) {
	Var(f, to, name, "duration", "", units.DurationUpTo(most), usage)
}

// Number adds a flag for a number above 0 if positive, else from 0 on, and up to most.
func Number(f *pflag.FlagSet, to *float64, name, standard string, positive bool, most float64, usage string) {
	Var(f, to, name, "number", standard, units.NumberIn(positive, most), usage)
}

// mostTime is the longest time for which a command may be bounded.
const mostTime = 31 * 24 * time.Hour

// Time adds --time, which bounds a command: to is when it must end, the zero Time without the flag.
func Time(f *pflag.FlagSet, to *time.Time) {
	Var(f, to, "time", "duration", "", func(s string) (time.Time, error) {
		d, err := units.DurationUpTo(mostTime)(s)
		return time.Now().Add(d), err
	}, "how long the command may take, such as 2m; with less time, results are less precise (default: 50s for a database of up to 1 GiB, otherwise unlimited)")
}
