package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrNoDatabase is wrapped by errors for a directory without a database of any engine.
var ErrNoDatabase = errors.New("no database")

// OtherEngineError is the error for a database that another engine may be able to read.
type OtherEngineError struct{ Text string }

func (o *OtherEngineError) Error() string { return o.Text }

// Registry lists the engines of a binary, in the order in which they try to recognise a database.
type Registry []Engine

// aliases maps geth's names of stores to engines.
var aliases = map[string]string{"leveldb": "goleveldb"}

// ByName finds an engine by its name or alias.
func (r Registry) ByName(name string) (Engine, error) {
	for _, e := range r {
		if e.Name() == name || e.Name() == aliases[name] {
			return e, nil
		}
	}
	return nil, fmt.Errorf("engine %q is not known: use one of %s", name, strings.Join(r.Names(), ", "))
}

// Configure returns a configuration of e. The error for a preset of other engines names them.
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

// Presets lists the presets of all engines.
func (r Registry) Presets() (names []string) {
	for _, e := range r {
		names = append(names, e.Presets()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Recognise finds the first engine that can read the database in dir. If there is none, it
// returns the most specific error: of an engine that recognised the database and cannot read
// it, rather than one that refers to another engine, or found no database. An engine that
// could not read a file ends the search: the next one might not be the database's own. The error for a directory of
// databases names them.
func (r Registry) Recognise(dir string, choices ...string) (Engine, Recognised, error) {
	e, found, err := r.recognise(dir, choices...)
	if errors.Is(err, ErrNoDatabase) {
		if below := r.below(dir); len(below) > 0 {
			err = fmt.Errorf("%s holds %w itself, but has some below: name one of %s", dir, ErrNoDatabase, strings.Join(below, ", "))
		}
	}
	return e, found, err
}

// Bounds of the search for databases below a directory: time, depth, and databases in the error.
const (
	belowUntil = time.Second
	mostDepth  = 3
	mostNamed  = 8
)

// below lists the databases below dir, such as those of Nethermind, or the one in a client's data directory.
func (r Registry) below(dir string) (databases []string) {
	until := time.Now().Add(belowUntil)
	level := []string{dir}
	for range mostDepth {
		var next []string
		for _, parent := range level {
			for _, at := range directoriesIn(parent, until) {
				if time.Now().After(until) {
					return named(databases)
				}
				if _, _, err := r.recognise(at); err == nil {
					databases = append(databases, at)
				} else {
					next = append(next, at)
				}
			}
		}
		level = next
	}
	return named(databases)
}

// named sorts databases and shortens the list for an error.
func named(databases []string) []string {
	slices.Sort(databases)
	if more := len(databases) - mostNamed; more > 0 {
		databases = append(databases[:mostNamed], fmt.Sprintf("or %d more", more))
	}
	return databases
}

// directoriesIn lists the directories in a directory. It stops reading at the given time.
func directoriesIn(parent string, until time.Time) (list []string) {
	if time.Now().After(until) {
		return nil
	}
	d, err := os.Open(parent)
	if err != nil {
		return nil
	}
	defer d.Close()
	for time.Now().Before(until) {
		entries, err := d.ReadDir(100)
		for _, e := range entries {
			if e.IsDir() {
				list = append(list, filepath.Join(parent, e.Name()))
			}
		}
		if err != nil {
			break
		}
	}
	return list
}

func (r Registry) recognise(dir string, choices ...string) (Engine, Recognised, error) {
	var best error
	for _, e := range r {
		found, err := e.Recognise(dir, choices...)
		if err == nil {
			return e, found, nil
		}
		if unread(err) {
			return nil, Recognised{}, err
		}
		if best == nil || specificity(err) > specificity(best) {
			best = err
		}
	}
	if best == nil {
		best = fmt.Errorf("%s: %w", dir, ErrNoDatabase)
	}
	return nil, Recognised{}, best
}

// unread reports whether an error is that of a file that is there and cannot be read.
func unread(err error) bool {
	var failed syscall.Errno
	return errors.As(err, &failed) && failed != syscall.ENOENT && failed != syscall.ENOTDIR && !errors.Is(err, ErrNoDatabase)
}

func specificity(err error) int {
	var other *OtherEngineError
	switch {
	case errors.Is(err, ErrNoDatabase):
		return 0
	case errors.As(err, &other):
		return 1
	}
	return 2
}

// ModuleVersion returns the version of a module that is linked into this binary.
func ModuleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			return m.Version + " (replaced)"
		}
		return m.Version
	}
	return "unknown"
}
