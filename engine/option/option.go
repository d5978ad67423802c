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

// Option is one option of the configuration C.
type Option[C any] struct {
	Name          string
	defaultValues string // one, or one for each level; the last is that of all further ones
	lo, hi        int64  // bounds of a number or a size
	field         func(c *C) any
}

// Number is an option that takes numbers or sizes from lo to hi. field returns a pointer to an int or, for a size in
// bytes, to an int64, or to an array of them if the option can differ between levels.
func Number[C any](name, defaultValues string, lo, hi int64, field func(*C) any) Option[C] {
	return Option[C]{name, defaultValues, lo, hi, field}
}

// Word is an option that is true or false, or takes any text, which the engine's Verify checks: field returns a pointer
// to a bool or a string.
func Word[C any](name, defaultValue string, field func(*C) any) Option[C] {
	return Option[C]{name, defaultValue, 0, 0, field}
}

func (o *Option[C]) perLevel() bool {
	switch o.field(new(C)).(type) {
	case *[lsm.NumLevels]int, *[lsm.NumLevels]int64:
		return true
	}
	return false
}

// at returns a pointer to what holds the option at a level, which options that are not per level ignore.
func (o *Option[C]) at(c *C, level int) any {
	switch field := o.field(c).(type) {
	case *[lsm.NumLevels]int:
		return &field[level]
	case *[lsm.NumLevels]int64:
		return &field[level]
	default:
		return field
	}
}

// Get returns the value of the option at a level.
func (o *Option[C]) Get(c *C, level int) string {
	switch field := o.at(c, level).(type) {
	case *bool:
		return strconv.FormatBool(*field)
	case *int:
		return strconv.Itoa(*field)
	case *int64:
		return units.Exact(*field)
	default:
		return *field.(*string)
	}
}

func (o *Option[C]) set(c *C, level int, value string) (err error) {
	switch field := o.at(c, level).(type) {
	case *bool:
		if *field, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
	case *int:
		return setInt(field, value, int(o.lo), int(o.hi))
	case *int64:
		return setBytes(field, value, o.lo, o.hi)
	default:
		*field.(*string) = value
	}
	return nil
}

// List is all options of a configuration.
type List[C any] []Option[C]

// Defaults returns a configuration whose options have their defaults. It panics if one of these is not valid.
func (l List[C]) Defaults() *C {
	c := new(C)
	for _, o := range l {
		values := strings.Fields(o.defaultValues)
		for level := range lsm.NumLevels {
			if err := o.set(c, level, values[min(level, len(values)-1)]); err != nil {
				panic(fmt.Sprintf("option %s: %v", o.Name, err))
			}
		}
	}
	return c
}

// Effective lists the value of every option. A per-level option is listed once if all levels agree.
func (l List[C]) Effective(c *C) map[string]string {
	effective := map[string]string{}
	for _, o := range l {
		var values []string
		for level := range lsm.NumLevels {
			values = append(values, o.Get(c, level))
		}
		if len(slices.Compact(slices.Clone(values))) == 1 {
			effective[o.Name] = values[0]
			continue
		}
		for level, value := range values {
			effective[o.Name+"."+levelNames[level]] = value
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
	first, last := 0, lsm.NumLevels-1
	if hasLevel {
		first = slices.Index(levelNames, levelName)
		last = first
		if first < 0 || !l[i].perLevel() {
			return fmt.Errorf("option %q: only per-level options take a level, and one at a time: L0 to L%d", name, lsm.NumLevels-1)
		}
	}
	for level := first; level <= last; level++ {
		if err := l[i].set(c, level, value); err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
	}
	return nil
}

var levelNames = []string{"L0", "L1", "L2", "L3", "L4", "L5", "L6"}

func (l List[C]) names() []string {
	names := make([]string, len(l))
	for i, o := range l {
		names[i] = o.Name
		if o.perLevel() {
			names[i] += "[.L0-L6]"
		}
	}
	return names
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
