package comparestate

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// comparison returns a small comparison of stores that count their own reads.
func comparison(t *testing.T, names ...string) *Comparison {
	t.Helper()
	all, _, err := stores.Select(names, nil, false)
	require.NoError(t, err)
	return &Comparison{
		Plan: statedb.Plan{
			Question: statedb.Question{Values: "random", ValueSize: 110, Seed: 7, Lookups: 100, Counted: record.CountedInside},
			Place:    counter.Place{ImageIn: t.TempDir()},
		},
		Sizes:  []uint64{1000},
		Stores: all,
		Finish: func(*record.State, bool) error { return nil },
	}
}

// TestErrorsAreToldAtOnce: a store that cannot be measured is named before the next one is loaded,
// and the others are measured.
func TestErrorsAreToldAtOnce(t *testing.T) {
	c := comparison(t, "pebblev2")
	c.Stores = append([]statedb.Store{{Name: "bad", Command: []string{"false"}}}, c.Stores...)
	var told []string
	c.Unmeasured = func(err error) { told = append(told, err.Error()) }
	c.Progress = func(phase string, _, _ uint64, _ string) {
		assert.False(t, strings.HasPrefix(phase, "pebblev2: load") && len(told) == 0, "the next store is loaded already")
	}
	results, err := c.Run(t.Context())
	require.ErrorContains(t, err, "bad: ")
	assert.Len(t, results, 1)
	if assert.Len(t, told, 1) {
		assert.Contains(t, told[0], "bad: ")
	}
}
