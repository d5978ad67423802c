package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"getio/outside/statedb"
)

// adapterPrograms are the adapters that come with getio and are programs of their own.
var adapterPrograms = map[string]string{"nomt": "getio-nomt", "firewood": "getio-firewood"}

// writeBuffers are options of engines that would hold more than the caches in memory while
// they are loaded: the presets are of nodes with far more keys.
var writeBuffers = map[string][]string{
	"pebblev1": {"memtable_size=64MiB"}, "pebblev2": {"memtable_size=64MiB"}, "goleveldb": {"memtable_size=64MiB"}, "rocksdb": {"write_buffer_size=64MiB"},
}

// stateNames are the stores that compare-state knows.
func stateNames() []string { return append(servedNames(), "nomt", "firewood") }

// stores are those that the flags name. Of the default ones, those that are not here are
// left out, and why is told.
func (f *stateFlags) stores(outside bool) (stores []statedb.Store, missing []string, err error) {
	for _, text := range splitList(f.engines) {
		name, configuration, _ := strings.Cut(text, ":")
		s, err := storeNamed(name, outside)
		if err != nil {
			return nil, nil, err
		}
		s.Name, s.Configuration = text, configuration
		stores = append(stores, s)
	}
	for _, text := range f.adapters {
		s, err := ownStore(text, outside)
		if err != nil {
			return nil, nil, err
		}
		stores = append(stores, s)
	}
	if f.engines == "" && len(f.adapters) == 0 {
		for _, name := range stateNames() {
			s, err := storeNamed(name, outside)
			if err != nil {
				missing = append(missing, "left out: "+err.Error())
				continue
			}
			stores = append(stores, s)
		}
	}
	return stores, missing, distinct(stores)
}

func splitList(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func distinct(stores []statedb.Store) error {
	for i, s := range stores {
		if slices.ContainsFunc(stores[:i], func(q statedb.Store) bool { return q.Name == s.Name }) {
			return fmt.Errorf("two stores are called %s: leave one out, or name it otherwise", s.Name)
		}
	}
	return nil
}

// storeNamed finds the adapter of a store by its name.
func storeNamed(name string, outside bool) (s statedb.Store, err error) {
	s.Name = name
	program, separate := adapterPrograms[name]
	switch {
	case !slices.Contains(stateNames(), name):
		return s, fmt.Errorf("there is no store %q: take some of %s, or name a command with --adapter", name, strings.Join(stateNames(), ", "))
	case !outside && (separate || name == mdbxName):
		return s, fmt.Errorf("%s has no count of its own, and only root with CAP_SYS_ADMIN can count from outside: run as root", name)
	case separate:
		path, err := findProgram(program)
		s.Command = []string{path}
		return s, err
	}
	if _, err := servedEngine(context.Background(), name); err != nil {
		return s, err
	}
	self, err := os.Executable()
	s.Command = []string{self, "adapter", "serve", "--engine", name}
	s.Options = writeBuffers[name]
	return s, err
}

// findProgram looks for an adapter beside getio, where make puts it, and where the shell
// looks.
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
	return "", fmt.Errorf("%s is neither beside getio nor where programs are looked for: 'make adapters' builds it", name)
}

// ownStore reads NAME=COMMAND, or NAME:CONFIGURATION=COMMAND.
func ownStore(text string, outside bool) (s statedb.Store, err error) {
	name, command, ok := strings.Cut(text, "=")
	_, configuration, _ := strings.Cut(name, ":")
	words := strings.Fields(command)
	switch {
	case !ok || name == "" || len(words) == 0:
		return s, fmt.Errorf("--adapter %q is no store: write it like mine='./adapter --small'", text)
	case !outside:
		return s, errors.New("reads of an adapter are counted from outside, which only root with CAP_SYS_ADMIN can: run as root")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return s, fmt.Errorf("the adapter %s is no program that can be run: name one that is there", words[0])
	}
	if path, err = filepath.Abs(path); err != nil {
		return s, err
	}
	return statedb.Store{Name: name, Command: append([]string{path}, words[1:]...), Configuration: configuration}, nil
}
