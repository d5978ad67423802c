package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"getio/measure/database"
)

// side is one of the configurations that are compared: a database and how it is read.
type side struct {
	label      string
	dir        string
	choice     database.OpenOptions
	lastFilter bool // look keys up with iterators that consult the last level's filters
}

// What a side's settings are called, beside options.
const (
	settingLabel      = "label"
	settingEngine     = "engine"
	settingPreset     = "preset"
	settingLastFilter = "last-level-filters"
)

// maxLabel is what a column of a table has space for, in characters.
const maxLabel = 12

// parseSides reads the sides of a comparison, the base first. Those without a label
// are called A, B and so on.
func parseSides(args []string) (sides []side, err error) {
	var labels []string
	for i, arg := range args {
		s, err := parseSide(arg)
		if err != nil {
			return nil, err
		}
		if s.label == "" {
			s.label = string(rune('A' + i))
		}
		if slices.Contains(labels, s.label) {
			return nil, fmt.Errorf("two sides are called %s: give them labels that differ, as in %s:label=NAME", s.label, s.dir)
		}
		labels = append(labels, s.label)
		sides = append(sides, s)
	}
	return sides, nil
}

// parseSide reads DIR or DIR:SETTING,SETTING. The settings are what follows the last
// colon, whatever directories there are: one whose own name has a colon is written with
// another behind it.
func parseSide(arg string) (side, error) {
	colon := strings.LastIndexByte(arg, ':')
	if colon < 0 {
		colon = len(arg)
	}
	s := side{dir: arg[:colon]}
	if s.dir == "" {
		return s, fmt.Errorf("side %q names no directory: write DIR, or DIR:SETTING,SETTING", arg)
	}
	settings := strings.TrimPrefix(arg[colon:], ":")
	if settings == "" {
		return s, nil
	}
	for setting := range strings.SplitSeq(settings, ",") {
		if err := s.set(setting); err != nil {
			return s, fmt.Errorf("side %s: %w (the settings are what follows the last colon: a directory with a colon in its name takes one more behind it)", arg, err)
		}
	}
	return s, nil
}

// set takes one setting. What is no other is an option that bears on reading, which the
// database judges when it is opened.
func (s *side) set(setting string) error {
	name, value, valued := strings.Cut(setting, "=")
	switch {
	case name == settingLastFilter && !valued:
		s.lastFilter = true
		return nil
	case name == settingLastFilter:
		return fmt.Errorf("%s takes no value", name)
	case !valued || value == "":
		return fmt.Errorf("%q is no setting: write %s=NAME, %s=NAME, %s=NAME, %s, or an option as NAME=VALUE",
			setting, settingLabel, settingEngine, settingPreset, settingLastFilter)
	case name == settingLabel:
		s.label = value
		return checkLabel(value)
	case name == settingEngine:
		s.choice.Engine = value
	case name == settingPreset:
		s.choice.Preset = value
	default:
		s.choice.Options = append(s.choice.Options, setting)
	}
	return nil
}

func checkLabel(label string) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == '/' }
	switch {
	case utf8.RuneCountInString(label) > maxLabel:
		return fmt.Errorf("label %q is longer than %d characters", label, maxLabel)
	case !utf8.ValidString(label) || strings.ContainsFunc(label, odd):
		return errors.New("a label is one word, without slashes")
	}
	return nil
}
