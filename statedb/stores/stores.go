// Package stores lists the state databases that getio has adapters for, and finds their programs.
package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"getio/engine/engines"
	"getio/statedb"
	"getio/statedb/adapter"
	"getio/statedb/engineadapter"
	"getio/statedb/gethstate"
	"getio/statedb/mdbx"
)

// Stores in this binary that are no engines.
const (
	mdbxName = "mdbx"
	gethName = "geth"
	// readerName is MDBX for databases of clients. It holds nothing to compare.
	readerName = "mdbx-reader"
)

// programs are the adapters that are programs of their own, by the names of their stores.
var programs = map[string]string{"nomt": "getio-nomt", "firewood": "getio-firewood", "commonware": "getio-commonware"}

// writeBuffers are options of engines whose presets, which are for nodes with far more keys,
// would hold more in memory than the caches while loading.
var writeBuffers = map[string][]string{
	"pebblev1": {"memtable_size=64MiB"}, "pebblev2": {"memtable_size=64MiB"}, "goleveldb": {"memtable_size=64MiB"}, "rocksdb": {"write_buffer_size=64MiB"},
}

// diskPerKey is what stores take on their disk at most, in bytes per key with values of about 110
// bytes, while they are loaded and their largest file is rewritten: measured with 1M to 20M keys.
var diskPerKey = map[string]int64{
	"pebblev1": 500, "pebblev2": 500, "goleveldb": 500, "rocksdb": 500, mdbxName: 1000, "nomt": 1600, "firewood": 1600, "commonware": 1400, gethName: 3000,
}

// memory is what stores take at most while they are measured, with getio itself: measured with 300k to 2M keys,
// all of them overwritten. The engines and MDBX took no more than the caches of the load and 256 MiB.
var memory = map[string]statedb.Memory{
	"nomt":       {Bytes: 900 << 20, PerKey: 300},
	"firewood":   {Bytes: 550 << 20, PerKey: 450},
	"commonware": {Bytes: 500 << 20, PerKey: 500},
	gethName:     {Bytes: 1000 << 20, PerKey: 750},
}

// Misnamed is the error for a store that is not named as Select and Serve expect.
type Misnamed struct{ text string }

func (m *Misnamed) Error() string { return m.text }

func misnamed(format string, args ...any) error { return &Misnamed{fmt.Sprintf(format, args...)} }

// Served returns the names of the stores that this binary serves as an adapter.
func Served() []string { return append(engines.All().Names(), gethName, mdbxName) }

// Names returns the names of all stores.
func Names() []string { return append(Served(), "nomt", "firewood", "commonware") }

// Serve returns the adapter of a store that this binary serves. Long operations of it end when
// ctx is done.
func Serve(ctx context.Context, name string) (adapter.Engine, error) {
	switch name {
	case mdbxName:
		return mdbx.New()
	case readerName:
		return mdbx.NewReader()
	case gethName:
		e, err := engines.All().ByName(gethstate.Engine)
		if err != nil {
			return nil, err
		}
		return gethstate.New(ctx, e), nil
	}
	e, err := engines.All().ByName(name)
	if err != nil {
		return nil, misnamed("unknown engine %q: use one of %s", name, strings.Join(Served(), ", "))
	}
	if _, err := e.Configure("", nil); err != nil { // says how to get an engine that was not built in
		return nil, err
	}
	return engineadapter.New(ctx, e), nil
}

// MDBXReader returns the command of the adapter that reads MDBX databases of clients, and the version
// of its library.
func MDBXReader() (command []string, version string, err error) {
	e, err := mdbx.NewReader()
	if err != nil {
		return nil, "", err
	}
	self, err := os.Executable()
	return serving(self, readerName), e.Hello().EngineVersion, err
}

func serving(self, name string) []string { return []string{self, "adapter", "serve", "--engine", name} }

// Select returns the stores that are named as NAME or NAME:CONFIGURATION, and those of the
// user's as NAME=COMMAND or NAME:CONFIGURATION=COMMAND. Without any, it returns all stores
// that are here, and in missing why each of the others is left out. outside: reads can be counted
// from outside a process.
func Select(names, own []string, outside bool) (all []statedb.Store, missing []string, err error) {
	for _, label := range names {
		s, err := known(label, outside)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	for _, text := range own {
		s, err := ownStore(text, outside)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	if len(names) == 0 && len(own) == 0 {
		for _, name := range Names() {
			s, err := named(name, outside)
			if err != nil {
				missing = append(missing, "left out: "+err.Error())
				continue
			}
			all = append(all, s)
		}
	}
	for i, s := range all {
		if slices.ContainsFunc(all[:i], func(q statedb.Store) bool { return q.Name == s.Name }) {
			return nil, nil, misnamed("two stores have the name %s: leave one out, or rename it", s.Name)
		}
	}
	return all, missing, nil
}

// Find returns the store of a label NAME or NAME:CONFIGURATION: one of the user's if its command is given.
func Find(label string, command, options []string, outside bool) (s statedb.Store, err error) {
	if len(command) > 0 {
		return given(label, command, options, outside)
	}
	s, err = known(label, outside)
	s.Options = options
	return s, err
}

func known(label string, outside bool) (statedb.Store, error) {
	name, configuration, _ := strings.Cut(label, ":")
	s, err := named(name, outside)
	s.Name, s.Configuration = label, configuration
	return s, err
}

func named(name string, outside bool) (s statedb.Store, err error) {
	s.Name, s.DiskPerKey, s.Memory = name, diskPerKey[name], memory[name]
	program, separate := programs[name]
	switch {
	case !slices.Contains(Names(), name):
		return s, misnamed("unknown store %q: take some of %s, or name a command with --adapter", name, strings.Join(Names(), ", "))
	case !outside && (separate || name == mdbxName):
		return s, fmt.Errorf("%s does not count its own reads, and only root with CAP_SYS_ADMIN can count them from outside: run as root", name)
	case separate:
		path, err := findProgram(program)
		s.Command = []string{path}
		return s, err
	}
	if _, err := Serve(context.Background(), name); err != nil {
		return s, err
	}
	self, err := os.Executable()
	s.Command = serving(self, name)
	s.Options, s.OneProcessor = writeBuffers[name], name == gethName
	return s, err
}

// findProgram looks for an adapter beside getio, where make puts it, and in PATH.
func findProgram(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("%s is neither beside getio nor in PATH: 'make adapters' builds it", name)
}

// ownStore reads NAME=COMMAND or NAME:CONFIGURATION=COMMAND, with options of the store behind
// commas, KEY=VALUE each.
func ownStore(text string, outside bool) (s statedb.Store, err error) {
	label, rest, ok := strings.Cut(text, "=")
	parts := strings.Split(rest, ",")
	words, options := strings.Fields(parts[0]), parts[1:]
	if !ok || label == "" || len(words) == 0 {
		return s, misnamed("invalid --adapter %q: want NAME=COMMAND such as mine='./adapter --small'", text)
	}
	for _, o := range options {
		if key, _, ok := strings.Cut(o, "="); !ok || key == "" || strings.ContainsAny(key, " ") {
			return s, misnamed("invalid option %q in --adapter %q: want KEY=VALUE such as mine='./adapter,cache=1', or put a command with commas into a script", o, text)
		}
	}
	return given(label, words, options, outside)
}

func given(label string, command, options []string, outside bool) (s statedb.Store, err error) {
	if !outside {
		return s, errors.New("reads of an adapter are counted from outside, which only root with CAP_SYS_ADMIN can do: run as root")
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return s, fmt.Errorf("cannot run the adapter %s: name an executable", command[0])
	}
	if path, err = filepath.Abs(path); err != nil {
		return s, err
	}
	_, configuration, _ := strings.Cut(label, ":")
	return statedb.Store{Name: label, Command: append([]string{path}, command[1:]...), Given: command, Configuration: configuration, Options: options}, nil
}
