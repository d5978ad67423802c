package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoDatabase is wrapped by the errors for a directory that holds no
// database of any engine.
var ErrNoDatabase = errors.New("no database")

// OtherEngineError is the error for a database that another engine may read.
type OtherEngineError struct{ Text string }

func (o *OtherEngineError) Error() string { return o.Text }

// Registry is the engines of one binary, in the order in which they are asked
// whether they recognise a database.
type Registry []Engine

// aliases are names of stores that one engine alone is for, as geth has them.
var aliases = map[string]string{"leveldb": "goleveldb"}

// Alias is the other name of an engine, "" if it has none.
func Alias(name string) string {
	for alias, of := range aliases {
		if of == name {
			return alias
		}
	}
	return ""
}

// ByName finds an engine by its name, or by its alias.
func (r Registry) ByName(name string) (Engine, error) {
	for _, e := range r {
		if e.Name() == name || e.Name() == aliases[name] {
			return e, nil
		}
	}
	return nil, fmt.Errorf("engine %q is not known: use one of %s", name, strings.Join(r.Names(), ", "))
}

// Configure is the configuration of an engine that is to make a database. The error for a
// preset that others have names these.
func (r Registry) Configure(e Engine, preset string, overrides []string) (Config, error) {
	cfg, err := e.Configure(preset, overrides)
	if err == nil || preset == "" || slices.Contains(e.Presets(), preset) {
		return cfg, err
	}
	var having []string
	for _, other := range r {
		if slices.Contains(other.Presets(), preset) {
			having = append(having, other.Name())
		}
	}
	if len(having) > 0 {
		return nil, fmt.Errorf("%w; or take --engine %s, which has it", err, strings.Join(having, " or "))
	}
	return nil, err
}

// Names lists the engines' names.
func (r Registry) Names() []string {
	names := make([]string, len(r))
	for i, e := range r {
		names[i] = e.Name()
	}
	return names
}

// Recognise finds the first engine that can read the database in dir. If none
// can, the error is that of the engine that came closest: one that recognised
// the database but cannot read it, at best without naming another engine.
func (r Registry) Recognise(dir string) (Engine, Recognised, error) {
	var closest error
	for _, e := range r {
		found, err := e.Recognise(dir)
		if err == nil {
			return e, found, nil
		}
		if closest == nil || closeness(err) > closeness(closest) {
			closest = err
		}
	}
	if closest == nil {
		closest = fmt.Errorf("%s: %w", dir, ErrNoDatabase)
	}
	return nil, Recognised{}, closest
}

func closeness(err error) int {
	var other *OtherEngineError
	switch {
	case errors.Is(err, ErrNoDatabase):
		return 0
	case errors.As(err, &other):
		return 1
	}
	return 2
}
