package database

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/workload"
	"getio/workload/dataset"
)

// at is a store with nothing but a directory.
type at struct {
	engine.Store
	dir string
}

func (s at) Info() engine.Info { return engine.Info{Dir: s.dir} }

func TestSameKeys(t *testing.T) {
	tree := func(keys uint64) *dataset.Manifest {
		m := &dataset.Manifest{Keyspace: dataset.KeyspaceStratified, Seed: 1}
		built, err := dataset.NewTree([]dataset.Table{{File: 1, Level: 6, First: 1, Last: 1 << 60, Keys: keys}})
		require.NoError(t, err)
		m.SetTree(built)
		return m
	}
	plain := func(keyspace string, keys, seed uint64) *dataset.Manifest {
		return &dataset.Manifest{Keyspace: keyspace, Keys: keys, Seed: seed}
	}
	one, two := t.TempDir(), t.TempDir()
	keccak, stratified := dataset.KeyspaceKeccak, dataset.KeyspaceStratified
	for name, c := range map[string]struct {
		a, b       *dataset.Manifest
		dirA, dirB string
		ask        workload.Keys
		want       string // "" accepts
	}{
		"alike":                  {a: plain(keccak, 10, 1), b: plain(keccak, 10, 1), dirA: one, dirB: two},
		"keccak has no seed":     {a: plain(keccak, 10, 1), b: plain(keccak, 10, 2), dirA: one, dirB: two},
		"number":                 {a: plain(keccak, 10, 1), b: plain(keccak, 11, 1), dirA: one, dirB: two, want: "10 and 11 keys"},
		"keyspace":               {a: plain(keccak, 10, 1), b: plain(stratified, 10, 1), dirA: one, dirB: two, want: "keccak and stratified"},
		"seed":                   {a: plain(stratified, 10, 1), b: plain(stratified, 10, 2), dirA: one, dirB: two, want: "seeds 1 and 2"},
		"one built":              {a: plain(stratified, 10, 1), b: tree(10), dirA: one, dirB: two, want: "level by level"},
		"one tree":               {a: tree(10), b: tree(10), dirA: one, dirB: two},
		"one directory":          {dirA: one, dirB: one},
		"two of others":          {dirA: one, dirB: two, want: "may hold different keys"},
		"one of others":          {a: plain(keccak, 10, 1), dirA: one, dirB: two, want: "may hold different keys"},
		"others, keys of a file": {dirA: one, dirB: two, ask: workload.Keys{Files: workload.Files{KeysFile: "keys"}}},
	} {
		a := &Database{Dir: "A", Manifest: c.a, Store: at{dir: c.dirA}}
		b := &Database{Dir: "B", Manifest: c.b, Store: at{dir: c.dirB}}
		err := SameKeys(a, b, c.ask)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
