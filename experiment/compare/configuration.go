package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"getio/measure/database"
)

// Configuration is a database and how it is read: one side of a comparison.
type Configuration struct {
	Label  string
	Dir    string
	Choice database.OpenOptions
	// LastLevelFilters looks keys up with iterators that consult the last level's filters.
	LastLevelFilters bool
}

// Settings of a side other than options.
const (
	settingLabel      = "label"
	settingEngine     = "engine"
	settingPreset     = "preset"
	settingLastFilter = "last-level-filters"
)

const (
	maxLabel = 12 // characters, which a column of a table has space for
	maxSides = 26 // letters, which are the labels by default
)

// ParseSides reads the sides of a comparison, the base first, each DIR or
// DIR:SETTING,SETTING. Sides without a label get the letters A, B and so on.
func ParseSides(args []string) (sides []Configuration, err error) {
	var questions []string
	for _, q := range Questions {
		questions = append(questions, q.Name)
	}
	switch names := strings.Join(questions, ", "); {
	case len(args) == 0:
		return nil, fmt.Errorf("compare needs two sides or more, or a question: %s; see 'getio compare --help'", names)
	case len(args) == 1:
		return nil, fmt.Errorf("compare needs two sides or more, and %q is only one and not a question: the questions are %s", args[0], names)
	case len(args) > maxSides:
		return nil, fmt.Errorf("%d sides are too many: compare at most %d", len(args), maxSides)
	}
	var labels []string
	for i, arg := range args {
		c, err := parseSide(arg)
		if err != nil {
			return nil, err
		}
		if c.Label == "" {
			c.Label = string(rune('A' + i))
		}
		if slices.Contains(labels, c.Label) {
			return nil, fmt.Errorf("two sides have the label %s: set another one, as in %s:label=NAME", c.Label, c.Dir)
		}
		labels = append(labels, c.Label)
		sides = append(sides, c)
	}
	return sides, nil
}

// parseSide reads one side. Settings follow the last colon, whatever directories exist: a
// directory with a colon in its name is written with another colon behind it.
func parseSide(arg string) (Configuration, error) {
	colon := strings.LastIndexByte(arg, ':')
	if colon < 0 {
		colon = len(arg)
	}
	c := Configuration{Dir: arg[:colon]}
	if c.Dir == "" {
		return c, fmt.Errorf("side %q names no directory: write DIR, or DIR:SETTING,SETTING", arg)
	}
	settings := strings.TrimPrefix(arg[colon:], ":")
	if settings == "" {
		return c, nil
	}
	for setting := range strings.SplitSeq(settings, ",") {
		if err := c.set(setting); err != nil {
			return c, fmt.Errorf("side %s: %w (settings follow the last colon: add a colon to a directory that has one in its name)", arg, err)
		}
	}
	return c, nil
}

// set takes one setting. Any other name is an option for reading, which is checked when the
// database is opened.
func (c *Configuration) set(setting string) error {
	name, value, valued := strings.Cut(setting, "=")
	switch {
	case name == settingLastFilter && !valued:
		c.LastLevelFilters = true
		return nil
	case name == settingLastFilter:
		return fmt.Errorf("%s takes no value", name)
	case !valued || value == "":
		return fmt.Errorf("invalid setting %q: want %s=NAME, %s=NAME, %s=NAME, %s, or an option as NAME=VALUE",
			setting, settingLabel, settingEngine, settingPreset, settingLastFilter)
	case name == settingLabel:
		c.Label = value
		return checkLabel(value)
	case name == settingEngine:
		c.Choice.Engine = value
	case name == settingPreset:
		c.Choice.Preset = value
	default:
		c.Choice.Options = append(c.Choice.Options, setting)
	}
	return nil
}

func checkLabel(label string) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == '/' }
	switch {
	case utf8.RuneCountInString(label) > maxLabel:
		return fmt.Errorf("label %q is longer than %d characters", label, maxLabel)
	case !utf8.ValidString(label) || strings.ContainsFunc(label, odd):
		return errors.New("a label must be one word without slashes")
	}
	return nil
}
