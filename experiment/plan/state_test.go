package plan

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/experiment/cell"
	"getio/experiment/comparestate"
	"getio/internal/adaptertest"
	"getio/record"
	"getio/statedb"
	"getio/statedb/adapter"
	"getio/statedb/counter"
	"getio/statedb/stores"
)

func TestMain(m *testing.M) {
	adaptertest.Run(m, func(name string) (adapter.Engine, error) { return stores.Serve(context.Background(), name) })
}

// comparison returns a small comparison of stores that count their own reads, which needs no root. They
// keep no log with times among their files, as LevelDB and RocksDB do.
func comparison(t *testing.T) *comparestate.Comparison {
	t.Helper()
	all, _, err := stores.Select([]string{"pebblev2", "pebblev1"}, nil, false)
	require.NoError(t, err)
	return &comparestate.Comparison{
		Plan: statedb.Plan{
			Question: statedb.Question{Values: "random", ValueSize: 110, Seed: 7, Lookups: 50, Overwrite: []float64{0.5}, Counted: record.CountedInside},
			Place:    counter.Place{ImageIn: t.TempDir()},
		},
		Sizes: []uint64{1000}, Stores: all,
		Finish: func(*record.State, bool) error { return nil },
	}
}

// TestCellsOfStoresAreTheComparison runs the cells of a comparison of state databases in another order. Merged,
// their records equal those of the comparison but for times and machine.
func TestCellsOfStoresAreTheComparison(t *testing.T) {
	c := comparison(t)
	p, err := StateComparison(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, p.Cells, 2)
	path := filepath.Join(t.TempDir(), "plan.jsonl")
	require.NoError(t, p.Write(path))
	dir := cell.Directory(t.TempDir())
	for _, number := range []int{1, 0} {
		read, err := cell.ReadPlan(path)
		require.NoError(t, err)
		task := Task{Plan: read, Number: number, Out: dir, Place: c.Place}
		made, err := task.State(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, task.Keep(&record.Set{States: made}))
		done, err := task.Done()
		require.NoError(t, err)
		assert.True(t, done)
	}
	out := filepath.Join(t.TempDir(), "all.jsonl")
	cells, err := Merge(dir, out)
	require.NoError(t, err)
	assert.Equal(t, 2, cells)
	merged, err := (&record.Journal{Path: out}).States()
	require.NoError(t, err)
	compared, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, merged, len(compared))
	for i, r := range merged {
		s := p.Cells[i].State
		identity, err := s.Adapter.Identity()
		require.NoError(t, err)
		assert.Equal(t, &record.PlannedCell{
			Plan: p.ID, Experiment: cell.CompareState, Cell: i, Cells: 2, Getio: p.Cells[0].Getio, Adapter: identity,
		}, r.Cell)
		assert.Positive(t, r.Seconds)
		assert.Equal(t, figures(compared[i]), figures(r))
		assert.Positive(t, r.Rows[0].Cold.Reads)
		assert.NotEqual(t, figures(compared[1-i]), figures(r), "no two cells are alike")
	}

	// A journal of a comparison is one of its cells, and the other way round.
	again := comparison(t)
	again.Journal.Path = out
	again.Finish = func(_ *record.State, kept bool) error {
		assert.True(t, kept)
		return nil
	}
	require.NoError(t, again.Resume())
	_, err = again.Run(t.Context())
	require.NoError(t, err)
}

// figures returns a record without what differs between two runs of a cell: times, the machine and the cell.
func figures(r *record.State) record.State {
	s := *r
	s.Time, s.Seconds, s.Environment, s.Cell = record.State{}.Time, 0, record.Environment{}, nil
	s.Load.Seconds, s.Load.CPUSeconds = 0, 0
	s.Worn = slices.Clone(s.Worn)
	for i := range s.Worn {
		s.Worn[i].Load.Seconds, s.Worn[i].Load.CPUSeconds = 0, 0
	}
	return s
}

// TestNeedsOfStores: memory and disk are predicted from what is known of a store, and time is not.
func TestNeedsOfStores(t *testing.T) {
	c := comparison(t)
	c.Overwrite, c.Sizes = nil, []uint64{3000}
	predicted := func() *record.CellNeeds {
		p, err := StateComparison(t.Context(), c)
		require.NoError(t, err)
		last := p.Cells[len(p.Cells)-1].Predicted
		assert.Equal(t, record.CellNeeds{MemoryBytes: last.MemoryBytes, DiskBytes: last.DiskBytes}, *last)
		return last
	}
	fresh := predicted()
	assert.EqualValues(t, 3000*500+1<<30, fresh.DiskBytes, "what Pebble takes, and 1 GiB")
	assert.EqualValues(t, 1.25*256*(1<<20)+256<<20, fresh.MemoryBytes, "the caches of the load, and 256 MiB")
	c.Overwrite = []float64{0.5}
	worn := predicted()
	assert.EqualValues(t, 3000*750+1<<30, worn.DiskBytes)
	assert.EqualValues(t, fresh.MemoryBytes+3000/8, worn.MemoryBytes)
	c.Place.Bytes = 9 << 30
	assert.EqualValues(t, 9<<30, predicted().DiskBytes)
	assert.Equal(t, worn.MemoryBytes, predicted().MemoryBytes)
	for i := range c.Stores {
		c.Stores[i].Memory = statedb.Memory{Bytes: 7, PerKey: 10}
	}
	assert.EqualValues(t, 7+3000*10+3000/8, predicted().MemoryBytes, "as was measured")
}

// TestStatesThatCannotBePlanned: an adapter that does not answer, or cannot hold the values, is refused before
// anything is measured.
func TestStatesThatCannotBePlanned(t *testing.T) {
	c := comparison(t)
	c.Stores = append(c.Stores, statedb.Store{Name: "bad", Command: []string{"/bin/false"}})
	_, err := StateComparison(t.Context(), c)
	assert.ErrorContains(t, err, "bad: the adapter false ended (exit status 1) before it answered hello")
	c = comparison(t)
	c.Stores[1].Configuration = "none"
	_, err = StateComparison(t.Context(), c)
	assert.ErrorContains(t, err, `pebblev1: pebblev1 has no configuration "none"`)
}

// TestInterruptedStore: an interrupted cell leaves nothing that counts.
func TestInterruptedStore(t *testing.T) {
	c := comparison(t)
	p, err := StateComparison(t.Context(), c)
	require.NoError(t, err)
	task := Task{Plan: p, Number: 1, Out: cell.Directory(t.TempDir()), Place: c.Place}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = task.State(ctx, func(string, uint64, uint64, string) { cancel() })
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "interrupted: none of 1 cells was finished")
	done, err := task.Done()
	require.NoError(t, err)
	assert.False(t, done)
}
