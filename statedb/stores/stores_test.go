package stores

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/rocksdb"
)

// TestStoresWithoutRoot: only engines that count their own reads can be compared.
func TestStoresWithoutRoot(t *testing.T) {
	stores, missing, err := Select(nil, nil, false)
	require.NoError(t, err)
	var names []string
	for _, s := range stores {
		names = append(names, s.Name)
	}
	want := "pebblev2 pebblev1 goleveldb"
	if !rocksdb.Missing {
		want += " rocksdb"
	}
	want += " geth"
	assert.Equal(t, want, strings.Join(names, " "))
	for _, name := range []string{mdbxName, "nomt", "firewood", "commonware"} {
		if !strings.Contains(strings.Join(missing, "\n"), "left out: "+name+" does not count its own reads, and only root with CAP_SYS_ADMIN can count them from outside: run as root") {
			t.Errorf("%s is not left out: %q", name, missing)
		}
		if _, _, err := Select([]string{name}, nil, false); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, _, err := Select(nil, []string{"mine=true"}, false); err == nil || !strings.Contains(err.Error(), "run as root") {
		t.Error(err)
	}
}

// TestMissingStores are left out by default, and refused by name.
func TestMissingStores(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := findProgram("getio-nomt")
	assert.ErrorContains(t, err, "'make adapters' builds it")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	path := filepath.Join(dir, "getio-nomt")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755))
	if got, err := findProgram("getio-nomt"); err != nil || got != path {
		t.Errorf("%s, %v", got, err)
	}
	s, err := named("rocksdb", true)
	if rocksdb.Missing != (err != nil) || err != nil && !strings.Contains(err.Error(), "install librocksdb-dev") {
		t.Errorf("%v, %v", s, err)
	}
}

// TestOptionsOfAdapters come after the command, behind commas.
func TestOptionsOfAdapters(t *testing.T) {
	stores, _, err := Select(nil, []string{"mine:small=sh -c true,cache=1,dir=/a b"}, true)
	require.NoError(t, err)
	assert.Equal(t, []string{"-c", "true"}, stores[0].Command[1:])
	assert.Equal(t, []string{"cache=1", "dir=/a b"}, stores[0].Options)
	for _, option := range []string{"", "cache", "=1", "the cache=1"} {
		_, _, err := Select(nil, []string{"mine=sh," + option}, true)
		assert.ErrorContains(t, err, fmt.Sprintf("invalid option %q", option))
	}
}

func TestStoresHaveDistinctNames(t *testing.T) {
	names, own := []string{"pebblev2", "pebblev2:geth"}, []string{"mine:small=sh -c true"}
	stores, missing, err := Select(names, own, true)
	if err != nil || len(missing) > 0 || len(stores) != 3 {
		t.Fatalf("%v, %v, %v", stores, missing, err)
	}
	if s := stores[1]; s.Name != "pebblev2:geth" || s.Configuration != "geth" || strings.Join(s.Command[1:], " ") != "adapter serve --engine pebblev2" {
		t.Errorf("%+v", s)
	}
	if s := stores[2]; s.Name != "mine:small" || s.Configuration != "small" || strings.Join(s.Command[1:], " ") != "-c true" {
		t.Errorf("%+v", s)
	}
	if _, _, err := Select(names, append(own, "pebblev2=sh"), true); err == nil || !strings.Contains(err.Error(), "two stores have the name pebblev2") {
		t.Error(err)
	}
}
