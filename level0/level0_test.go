package level0

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"

	"getio/chainload"
	"getio/engine"
	"getio/engine/enginetest"
	"getio/engine/goleveldb"
	"getio/engine/pebblev1"
	"getio/engine/pebblev2"
	"getio/record"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runOn makes a chain whose store has nothing in L0 but what a run lays there.
func runOn(t *testing.T, e engine.Engine) *Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "chain")
	plan := chainload.Plan{ChainPlan: record.ChainPlan{
		Accounts: 2000, Contracts: 0.1, Slots: 5, Blocks: 400, Txs: 20, Scheme: rawdb.PathScheme, Seed: 2,
	}}
	made, err := (&chainload.Job{Plan: plan, Engine: e, Dir: dir}).Run(context.Background())
	check(t, err)
	return &Run{
		Job:    Job{Engine: e, Dir: dir, Made: made, TableBytes: 64 << 10},
		Tables: []int{0, 3, 12}, Operations: 60, Warmup: 60, Seed: 1,
	}
}

// TestTablesLieAsTheyAreLaid: each copy has so many tables in L0 more than the one
// before, each in a sublevel of its own, every block of the chain is found in it, and
// the chain itself stays as it was.
func TestTablesLieAsTheyAreLaid(t *testing.T) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine, goleveldb.Engine} {
		t.Run(e.Name(), func(t *testing.T) {
			r := runOn(t, e)
			before := enginetest.Fingerprint(t, chainload.StoreDir(r.Dir))
			s, err := r.Grow(context.Background(), 12)
			check(t, err)
			r.Caches, r.Filters = []int64{16 << 20}, []bool{true, false}
			results, err := r.Measure(context.Background(), s)
			check(t, err)
			for n := range 13 {
				check(t, r.with(context.Background(), s, n, func(store engine.Store) error {
					if l0 := level0Of(store.Shape()); l0.Tables != int64(n) || l0.Sublevels != n {
						t.Errorf("%d tables in %d sublevels, want %d", l0.Tables, l0.Sublevels, n)
					}
					return nil
				}))
			}
			if s.Newest(12) <= s.Newest(3) || s.Newest(0) != s.Base || s.Base != 400 {
				t.Errorf("newest blocks %d, %d, %d on %d", s.Newest(0), s.Newest(3), s.Newest(12), s.Base)
			}
			for _, result := range results {
				requireRows(t, result)
			}
			check(t, s.Close())
			if after := enginetest.Fingerprint(t, chainload.StoreDir(r.Dir)); after != before {
				t.Errorf("the chain changed:\n%s\n---\n%s", before, after)
			}
			if left, err := os.ReadDir(r.Dir); err != nil || len(left) != 2 {
				t.Errorf("%v is left, error %v", left, err)
			}
		})
	}
}

func requireRows(t *testing.T, r *record.Level0) {
	t.Helper()
	for i, row := range r.Rows {
		for _, failed := range row.Checks.Failed() {
			t.Errorf("%d tables: check %s: %s", row.Tables, failed.Name, failed.Detail)
		}
		if want := []int64{0, 3, 12}[i]; row.Tables != want {
			t.Errorf("row %d is of %d tables", i, row.Tables)
		}
		if names := len(row.Operations); i == 0 && names != 3 || i > 0 && names != len(record.L0Names) {
			t.Errorf("%d tables: %d operations", row.Tables, names)
		}
		if filters := row.FilterBytes > 0; filters != (r.Filters && i > 0) {
			t.Errorf("%d tables, filters consulted %v: %d bytes of filters", row.Tables, r.Filters, row.FilterBytes)
		}
	}
	if none, all := r.Rows[0].Operations[record.L0OldTx].Reads.Mean, r.Rows[2].Operations[record.L0OldTx].Reads.Mean; all < none {
		t.Errorf("a transaction takes %.3f reads, below 12 tables %.3f", none, all)
	}
}

// TestLevelDBsCliffIsWhereItIsPredicted: a cache that drops what was not asked for
// longest holds all or nothing of what is asked for in turn, so that the place can be
// told to a table or two.
func TestLevelDBsCliffIsWhereItIsPredicted(t *testing.T) {
	r := runOn(t, goleveldb.Engine)
	s, err := r.Grow(context.Background(), 24)
	check(t, err)
	defer s.Close()
	r.Tables, r.Caches, r.Filters, r.Operations, r.Warmup = []int{24}, []int64{100 << 10}, []bool{true, false}, 200, 200
	results, err := r.Measure(context.Background(), s)
	check(t, err)
	for _, result := range results {
		c := result.Cliff
		if c.Measured == 0 || c.Predicted < 0.8*float64(c.Measured)-1 || c.Predicted > 1.2*float64(c.Measured)+1 {
			t.Errorf("filters %v: predicted at %.1f tables, measured at %d of %d (%.0f bytes each, %.0f besides)",
				result.Filters, c.Predicted, c.Measured, c.Most, c.BytesPerTable, c.OtherBytes)
		}
	}
}

// TestNothingIsLeftOfAStack that could not be grown.
func TestNothingIsLeftOfAStack(t *testing.T) {
	r := runOn(t, pebblev2.Engine)
	ctx, cancel := context.WithCancel(context.Background())
	r.Progress = func(n int) {
		if n == 3 {
			cancel()
		}
	}
	if _, err := r.Grow(ctx, 12); err == nil {
		t.Error("a stack was grown though it was told to stop")
	}
	if left, err := os.ReadDir(r.Dir); err != nil || len(left) != 2 {
		t.Errorf("%v is left, error %v", left, err)
	}
}
