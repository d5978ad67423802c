package statedb

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
)

// TestIdentity: an adapter is known by its greeting, its program and the files that its command names, wherever
// they lie.
func TestIdentity(t *testing.T) {
	model := self(t, adaptertest.FaultVariable, string(adaptertest.None))
	model.Configuration = "bytes"
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\n%s\nexec %s\n", text, model.Command[0]), 0o755))
		return path
	}
	by := func(command ...string) Store { return Store{Name: "s", Command: command, Configuration: "bytes"} }
	identify := func(s Store) string {
		a, err := Identify(t.Context(), s, 110, 0)
		require.NoError(t, err)
		identity, err := a.Identity()
		require.NoError(t, err)
		assert.Len(t, identity, 64)
		return identity
	}
	here := identify(by(script("a", "# one")))
	assert.Equal(t, here, identify(by(script("b", "# one"))), "the same program elsewhere")
	assert.NotEqual(t, here, identify(by(script("a", "# two"))), "another program")
	run := identify(by("/bin/sh", script("a", "# one")))
	assert.Equal(t, run, identify(by("/bin/sh", script("b", "# one"), "an argument")), "arguments that are not files do not count")
	assert.NotEqual(t, run, identify(by("/bin/sh", script("a", "# two"))), "another file that the command names")

	a, err := Identify(t.Context(), model, 110, 0)
	require.NoError(t, err)
	assert.Empty(t, a.Files, "an adapter in this executable is known by getio's identity")
	assert.Equal(t, []any{"model", "1", []string{"none"}, "bytes"}, []any{a.Name, a.Version, a.Patches, a.Configuration})
	same := a
	for name, change := range map[string]func(*Adapter){
		"name": func(a *Adapter) { a.Name = "x" }, "version": func(a *Adapter) { a.Version = "x" }, "patches": func(a *Adapter) { a.Patches = nil },
		"configuration": func(a *Adapter) { a.Configuration = "x" }, "memory": func(a *Adapter) { a.MemoryPerKey = 1 },
	} {
		other := same
		change(&other)
		x, err := same.Identity()
		require.NoError(t, err)
		y, err := other.Identity()
		require.NoError(t, err)
		assert.NotEqual(t, x, y, name)
	}

	_, err = Identify(t.Context(), Store{Command: model.Command}, 110, 0)
	assert.ErrorContains(t, err, "model takes keys of 20 to 20 bytes, not 32: use another configuration or --value-size")
	_, err = Identify(t.Context(), Store{Command: model.Command, Configuration: "x"}, 110, 0)
	assert.ErrorContains(t, err, `model has no configuration "x": use one of accounts, bytes`)
	_, err = Identify(t.Context(), by(filepath.Join(dir, "none")), 110, 0)
	assert.ErrorContains(t, err, "none cannot be read (no such file or directory), so nothing tells it from another adapter: make it readable")
	_, err = Identify(t.Context(), by("/bin/true"), 110, 0)
	assert.ErrorContains(t, err, "before it answered hello")
}
