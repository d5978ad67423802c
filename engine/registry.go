package engine

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoDatabase is wrapped by the errors for a directory that holds no
// database of any engine.
var ErrNoDatabase = errors.New("no database")

// Registry is the engines of one binary, in the order in which they are asked
// whether they recognise a database.
type Registry []Engine

// ByName finds an engine by its name.
func (r Registry) ByName(name string) (Engine, error) {
	for _, e := range r {
		if e.Name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("engine %q is not known: use one of %s", name, strings.Join(r.Names(), ", "))
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
// the database but cannot read it, else the first one's.
func (r Registry) Recognise(dir string) (Engine, Found, error) {
	var closest error
	for _, e := range r {
		found, err := e.Recognise(dir)
		if err == nil {
			return e, found, nil
		}
		if closest == nil || errors.Is(closest, ErrNoDatabase) && !errors.Is(err, ErrNoDatabase) {
			closest = err
		}
	}
	if closest == nil {
		closest = fmt.Errorf("%s: %w", dir, ErrNoDatabase)
	}
	return nil, Found{}, closest
}
