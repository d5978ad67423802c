package comparestate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/experiment/cell"
	"getio/record"
	"getio/statedb"
	"getio/statedb/counter"
)

// TestCellsHaveAll: a cell has everything that the comparison says of its store.
func TestCellsHaveAll(t *testing.T) {
	c := comparison(t, "pebblev2", "pebblev1:geth")
	c.Sizes = []uint64{1000, 2000}
	c.Overwrite, c.Timeout, c.Place.Bytes = []float64{0.1}, 5, 7
	c.Stores[1].Given = []string{"./adapter"}
	cells := c.Cells()
	require.Len(t, cells, 4)
	for i, want := range []struct {
		label string
		keys  uint64
	}{{"pebblev2", 1000}, {"pebblev1:geth", 1000}, {"pebblev2", 2000}, {"pebblev1:geth", 2000}} {
		s, store := cells[i].State, c.Stores[i%2]
		assert.Equal(t, cell.CompareState, cells[i].Experiment)
		assert.Equal(t, want.label, s.Label)
		assert.Equal(t, store.Given, s.Command)
		assert.Equal(t, store.Options, s.Options)
		here := plan(s, statedb.Plan{Place: counter.Place{ImageIn: c.Place.ImageIn}})
		whole := c.Plan
		whole.Keys = want.keys
		assert.Equal(t, whole, here)
	}
}

// TestFind finds the planned store, and refuses another adapter under its name, wherever the difference lies.
func TestFind(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	program := filepath.Join(dir, "adapter")
	write := func(text string) {
		require.NoError(t, os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\n%s\nexec %s adapter serve --engine goleveldb\n", text, self), 0o755))
	}
	write("# one")
	planned := func(command ...string) *cell.State {
		s := &cell.State{Label: "goleveldb", Command: command, Question: statedb.Question{ValueSize: 110, Counted: record.CountedInside}}
		if len(command) > 0 {
			s.Label = "mine"
		}
		store, _, err := Find(t.Context(), s, true)
		require.ErrorContains(t, err, "has another adapter here (goleveldb, ", "it is not the one of an empty plan")
		s.Adapter, err = statedb.Identify(t.Context(), store, 110, 0)
		require.NoError(t, err)
		return s
	}
	for _, s := range []*cell.State{planned(), planned(program)} {
		store, identity, err := Find(t.Context(), s, true)
		require.NoError(t, err)
		assert.Equal(t, s.Label, store.Name)
		assert.Len(t, identity, 64)
		assert.Equal(t, len(s.Command) > 0, len(s.Adapter.Files) > 0)

		other := *s
		other.Adapter.Version = "v0"
		_, _, err = Find(t.Context(), &other, true)
		assert.ErrorContains(t, err, s.Label+" has another adapter here (goleveldb, ")
		assert.ErrorContains(t, err, "than in the plan (goleveldb, v0, ")
		assert.ErrorContains(t, err, "use that one, or make the plan again")

		other = *s
		other.Counted = record.CountedOutside
		_, _, err = Find(t.Context(), &other, false)
		assert.ErrorContains(t, err, "the plan counts the reads of "+s.Label+" from outside, which only root with CAP_SYS_ADMIN can do: run as root")
		_, _, err = Find(t.Context(), &other, true)
		assert.NoError(t, err)
	}
	inside := planned()
	_, _, err = Find(t.Context(), inside, false)
	assert.NoError(t, err, "stores that count their own reads need no root")
	inside.Label = "nothing"
	_, _, err = Find(t.Context(), inside, true)
	assert.ErrorContains(t, err, `unknown store "nothing"`)

	s := planned(program)
	write("# two")
	_, _, err = Find(t.Context(), s, true)
	assert.ErrorContains(t, err, "mine has another adapter here (goleveldb, ")
	write("exit 3")
	_, _, err = Find(t.Context(), s, true)
	assert.ErrorContains(t, err, "mine: the adapter adapter ended (exit status 3) before it answered hello")
	require.NoError(t, os.Remove(program))
	_, _, err = Find(t.Context(), s, true)
	assert.ErrorContains(t, err, "cannot run "+program+", the adapter of mine, on this machine: copy it to the same path, or make the plan again")
}

// TestCountInside: without root, flags that need it are refused.
func TestCountInside(t *testing.T) {
	c := Comparison{Plan: statedb.Plan{Question: statedb.Question{Shares: []float64{0.1}}}}
	none := func(string) bool { return false }
	require.NoError(t, c.Count(true, none))
	assert.Equal(t, record.CountedOutside, c.Counted)
	assert.Len(t, c.Shares, 1)
	err := c.Count(false, func(flag string) bool { return flag == "size" })
	assert.ErrorContains(t, err, "--size needs reads that are counted from outside")
	require.NoError(t, c.Count(false, none))
	assert.Equal(t, record.CountedInside, c.Counted)
	assert.Empty(t, c.Shares)
}
