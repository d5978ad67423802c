// Package option defines an engine's configuration: its presets, its options, how each is
// set from NAME=VALUE and how its value is shown.
package option

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine/lsm"
	"getio/numbers/units"
)

// Option is one option of the configuration C. Options that are not per level ignore the level.
type Option[C any] struct {
	Name     string
	PerLevel bool
	Get      func(c *C, level int) string
	Set      func(c *C, level int, value string) error
}

// List is all options of a configuration.
type List[C any] []Option[C]

// Effective lists the value of every option. A per-level option is listed once if all levels agree.
func (l List[C]) Effective(c *C) map[string]string {
	effective := map[string]string{}
	for _, o := range l {
		if !o.PerLevel {
			effective[o.Name] = o.Get(c, 0)
			continue
		}
		values := map[string]bool{}
		for level := range lsm.NumLevels {
			values[o.Get(c, level)] = true
		}
		if len(values) == 1 {
			effective[o.Name] = o.Get(c, 0)
			continue
		}
		for level := range lsm.NumLevels {
			effective[o.Name+"."+levelNames[level]] = o.Get(c, level)
		}
	}
	return effective
}

// Override sets one option of c from NAME=VALUE, or from NAME.LEVEL=VALUE if it is per level.
func (l List[C]) Override(c *C, override string) error {
	name, value, ok := strings.Cut(override, "=")
	if !ok {
		return fmt.Errorf("option %q has no value: write NAME=VALUE", override)
	}
	base, levelName, hasLevel := strings.Cut(name, ".")
	i := slices.IndexFunc(l, func(o Option[C]) bool { return o.Name == base })
	if i < 0 {
		return fmt.Errorf("option %q is not known: use one of %s", name, strings.Join(l.names(), ", "))
	}
	o := l[i]
	levels := []int{0}
	switch level := slices.Index(levelNames, levelName); {
	case hasLevel && (level < 0 || !o.PerLevel):
		return fmt.Errorf("option %q: only per-level options take a level, and one at a time: L0 to L%d", name, lsm.NumLevels-1)
	case hasLevel:
		levels = []int{level}
	case o.PerLevel:
		levels = everyLevel
	}
	for _, level := range levels {
		if err := o.Set(c, level, value); err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
	}
	return nil
}

var (
	levelNames = []string{"L0", "L1", "L2", "L3", "L4", "L5", "L6"}
	everyLevel = []int{0, 1, 2, 3, 4, 5, 6}
)

func (l List[C]) names() []string {
	names := make([]string, len(l))
	for i, o := range l {
		names[i] = o.Name
		if o.PerLevel {
			names[i] += "[.L0-L6]"
		}
	}
	return names
}

// Text is an option that takes any text; the engine's Verify checks it.
func Text[C any](name string, field func(*C) *string) Option[C] {
	return Option[C]{
		Name: name,
		Get:  func(c *C, _ int) string { return *field(c) },
		Set: func(c *C, _ int, value string) error {
			*field(c) = value
			return nil
		},
	}
}

// Int is an option that takes whole numbers from lo to hi.
func Int[C any](name string, lo, hi int, field func(*C) *int) Option[C] {
	o := IntPerLevel(name, lo, hi, func(c *C, _ int) *int { return field(c) })
	o.PerLevel = false
	return o
}

// IntPerLevel is Int for an option that can differ between levels.
func IntPerLevel[C any](name string, lo, hi int, field func(c *C, level int) *int) Option[C] {
	return Option[C]{
		Name: name, PerLevel: true,
		Get: func(c *C, level int) string { return strconv.Itoa(*field(c, level)) },
		Set: func(c *C, level int, value string) error { return setInt(field(c, level), value, lo, hi) },
	}
}

// Bytes is an option that takes sizes from lo to hi.
func Bytes[C any](name string, lo, hi int64, field func(*C) *int64) Option[C] {
	o := BytesPerLevel(name, lo, hi, func(c *C, _ int) *int64 { return field(c) })
	o.PerLevel = false
	return o
}

// BytesPerLevel is Bytes for an option that can differ between levels.
func BytesPerLevel[C any](name string, lo, hi int64, field func(c *C, level int) *int64) Option[C] {
	return Option[C]{
		Name: name, PerLevel: true,
		Get: func(c *C, level int) string { return units.Exact(*field(c, level)) },
		Set: func(c *C, level int, value string) error { return setBytes(field(c, level), value, lo, hi) },
	}
}

func setInt(field *int, value string, lo, hi int) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", value)
	}
	if n < lo || n > hi {
		return fmt.Errorf("%d is out of range: want %d to %d", n, lo, hi)
	}
	*field = n
	return nil
}

func setBytes(field *int64, value string, lo, hi int64) error {
	n, err := humanize.ParseBytes(value)
	if err != nil {
		return fmt.Errorf("%q is not a size: write it like 32KiB or 2MB", value)
	}
	if n > math.MaxInt64 || int64(n) < lo || int64(n) > hi {
		return fmt.Errorf("%s is out of range: want %s to %s", value, humanize.IBytes(uint64(lo)), humanize.IBytes(uint64(hi)))
	}
	*field = int64(n)
	return nil
}

// Bool is an option that is true or false.
func Bool[C any](name string, field func(*C) *bool) Option[C] {
	return Option[C]{
		Name: name,
		Get:  func(c *C, _ int) string { return strconv.FormatBool(*field(c)) },
		Set: func(c *C, _ int, value string) error {
			on, err := strconv.ParseBool(value)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", value)
			}
			*field(c) = on
			return nil
		},
	}
}
