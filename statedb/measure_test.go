package statedb

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/engines"
	"getio/internal/adaptertest"
	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/counter"
	"getio/statedb/engineadapter"
	"getio/statedb/mdbx"
)

func TestMain(m *testing.M) {
	adaptertest.Run(m, func(name string) (adapter.Engine, error) {
		if name == mapped {
			return mdbx.New()
		}
		e, err := engines.All().ByName(name)
		return engineadapter.New(context.Background(), e), err
	})
}

// mapped is the store that maps its file, for random access.
const mapped = "mdbx"

func self(t *testing.T, variable, value string) Store {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(variable, value)
	return Store{Name: "store", Command: []string{path}}
}

// plan returns a small plan. It skips the test if reads cannot be counted from outside.
func plan(t *testing.T, outside bool) *Plan {
	t.Helper()
	p := &Plan{
		Question: Question{Keys: 2000, Values: "random", ValueSize: 110, Seed: 7, Lookups: 100, Counted: record.CountedInside},
		Place:    counter.Place{ImageIn: t.TempDir()},
	}
	if outside {
		p.Counted = record.CountedOutside
		c, err := counter.New(counter.Place{ImageIn: p.Place.ImageIn, Bytes: 64 << 20})
		if err != nil {
			t.Skip(err)
		}
		require.NoError(t, c.Close())
	}
	return p
}

// TestOutsideAndInsideAgree compares the reads that the engines expect with an empty page
// cache with those of the device, in number and bytes.
func TestOutsideAndInsideAgree(t *testing.T) {
	p := plan(t, true)
	// A process takes some MiB. The store's few hundred KiB fit into what the larger budgets leave.
	p.Shares = []float64{0.01, 100, 200}
	p.Overwrite = []float64{0.1, 1}
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			s := self(t, adaptertest.EngineVariable, e.Name())
			r, err := p.Measure(t.Context(), s)
			require.NoError(t, err)
			for _, c := range r.Checks {
				if c.Name == "own" {
					assert.Contains(t, c.Detail, "and 0 open tables", "all tables are open before lookups are counted")
				}
			}
			if !r.Checks.Hold() || len(r.Checks) != 22 {
				t.Errorf("checks: %+v", r.Checks)
			}
			if len(r.Rows) != 2 || r.Row(record.LookupsWithProof) != nil {
				t.Fatalf("rows: %+v", r.Rows)
			}
			for _, row := range r.Rows {
				if row.OwnReads == nil || math.Abs(*row.OwnReads-row.Cold.Reads) > 0.01*row.Cold.Reads {
					t.Errorf("%s: %+v", row.Kind, row)
				}
				holdBudgets(t, r, row)
			}
			holdWorn(t, p, r)
			if existing := r.Rows[0].Cold; existing.Reads < 1 || existing.Bytes < 4096 || existing.Lookups != p.Lookups {
				t.Errorf("%+v", existing)
			}
			if r.AnonymousBytes <= 0 || r.DiskBytes < int64(p.Keys)*100 || r.Load.Seconds <= 0 || r.Seconds < r.Load.Seconds || r.Load.CPUSeconds <= 0 || r.Load.WrittenBytes < int64(p.Keys)*100 || r.Counted != record.CountedOutside {
				t.Errorf("%+v", r)
			}
			assert.True(t, p.Matches(r, s), "it would be measured again")
			assert.True(t, other(p, func(q *Plan) { q.Seed = p.Seed }).Matches(r, s))
			for name, q := range map[string]*Plan{
				"seed":      other(p, func(q *Plan) { q.Seed++ }),
				"budgets":   other(p, func(q *Plan) { q.Shares = p.Shares[:2] }),
				"overwrite": other(p, func(q *Plan) { q.Overwrite = p.Overwrite[:1] }),
			} {
				assert.False(t, q.Matches(r, s), "it matches a plan with other %s", name)
			}
			withOptions := s
			withOptions.Options = []string{"cache=1"}
			assert.False(t, p.Matches(r, withOptions), "it matches a store with options")
			older := *r
			older.OpeningLookups = 0
			assert.False(t, p.Matches(&older, s), "it is of an older build, which opened fewer files")
		})
	}
}

// holdBudgets checks that a store's memory is part of each budget, and that one with room for the
// whole store reads nothing.
func holdBudgets(t *testing.T, r *record.State, row record.StateRow) {
	t.Helper()
	require.Len(t, row.Budgets, 3)
	for i, b := range row.Budgets {
		require.NotNil(t, b.MemoryBytes)
		assert.Equal(t, r.AnonymousBytes, *b.MemoryBytes)
		assert.Equal(t, b.Bytes, r.TotalBytes(b))
		if i == 0 {
			assert.Nil(t, b.LRU, "%s within %d bytes, of which the store takes %d", row.Kind, b.Bytes, *b.MemoryBytes)
			continue
		}
		require.NotNil(t, b.LRU)
		if b.LRU.Reads > 0.05 || b.Warmup == 0 || b.LRU.Lookups == 0 || b.Kernel == nil {
			t.Errorf("with a page cache for the whole store a lookup of %s reads %+v", row.Kind, b)
		}
		assert.Equal(t, max(r.Lookups, 2*b.Warmup), b.Kernel.Lookups, "lookups with the kernel's page cache")
	}
}

// holdWorn checks a store after 10% and all of its keys were overwritten.
func holdWorn(t *testing.T, p *Plan, r *record.State) {
	t.Helper()
	require.Len(t, r.Worn, 2)
	for i, w := range r.Worn {
		assert.Equal(t, p.Overwrite[i], w.Share)
		require.Len(t, w.Rows, len(r.Rows))
		if existing := w.Rows[0].Cold; existing.Reads < 1 || existing.Lookups != p.Lookups || len(w.Rows[0].Budgets) > 0 {
			t.Errorf("after %g: %+v", w.Share, existing)
		}
		if w.DiskBytes < r.DiskBytes/2 || w.AnonymousBytes <= 0 || w.Load.WrittenBytes < int64(w.Share*float64(p.Keys)*100) {
			t.Errorf("after %g: %+v", w.Share, w)
		}
	}
}

// TestInside measures without a counter, by the engine's own counts.
func TestInside(t *testing.T) {
	p := plan(t, false)
	s := self(t, adaptertest.EngineVariable, "pebblev2")
	r, err := p.Measure(t.Context(), s)
	require.NoError(t, err)
	if len(r.Rows) != 2 || r.Counted != record.CountedInside || r.AnonymousBytes != 0 || !p.Matches(r, s) {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Rows {
		if row.OwnReads == nil || row.Cold.Reads != *row.OwnReads || row.Cold.Reads <= 0 || row.Cold.Bytes <= 0 || len(row.Budgets) > 0 {
			t.Errorf("%+v", row)
		}
	}
	requireNothingLeft(t, p)
}

func requireNothingLeft(t *testing.T, p *Plan) {
	t.Helper()
	if left, err := os.ReadDir(p.Place.ImageIn); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind (%v)", left, err)
	}
}

// TestRefusals checks that every fault, and every store that cannot hold the keys or values,
// has its own sentence and leaves nothing behind.
func TestRefusals(t *testing.T) {
	for says, c := range map[string]struct {
		fault         adaptertest.Fault
		configuration string
		valueSize     int
	}{
		"does not count its own reads":                  {adaptertest.None, "bytes", 110},
		"and said: the model has seen enough":           {adaptertest.Dies, "bytes", 110},
		"it returned another value for key ":            {adaptertest.WrongValue, "bytes", 110},
		"speaks version 9 of the protocol":              {adaptertest.OtherVersion, "bytes", 110},
		"a frame of 4294967295 bytes":                   {adaptertest.TooLarge, "bytes", 110},
		"takes keys of 20 to 20 bytes, not 32":          {adaptertest.None, "", 110},
		"takes values of 0 to 65536 bytes, not 70000":   {adaptertest.None, "bytes", 70_000},
		`model has no configuration "none": use one of`: {adaptertest.None, "none", 110},
	} {
		t.Run(says, func(t *testing.T) {
			p := plan(t, false)
			p.Lookups, p.ValueSize = 200, c.valueSize // the model answers the first hundred correctly
			s := self(t, adaptertest.FaultVariable, string(c.fault))
			s.Configuration = c.configuration
			_, err := p.Measure(t.Context(), s)
			assert.ErrorContains(t, err, says)
			requireNothingLeft(t, p)
		})
	}
}

// other returns a changed copy of a plan.
func other(p *Plan, change func(*Plan)) *Plan {
	q := *p
	change(&q)
	return &q
}

// TestSmallDisks: a store that was planned too small a disk is loaded again on a larger one, and
// one whose disk the user chose has a sentence.
func TestSmallDisks(t *testing.T) {
	p := plan(t, true)
	p.Keys, p.Lookups = 150_000, 2
	s := self(t, adaptertest.EngineVariable, "pebblev2")
	p.Place.Bytes = 16 << 20
	_, err := p.Measure(t.Context(), s)
	require.ErrorContains(t, err, "its private disk of ")
	require.ErrorContains(t, err, "give it more space with --size")
	requireNothingLeft(t, p)

	set(t, &leastDisk, 16<<20)
	p.Place.Bytes, s.DiskPerKey = 0, 1
	var again []string
	p.Progress = func(phase string, _, _ uint64, _ string) {
		if strings.Contains(phase, "load again with ") {
			again = append(again, phase)
		}
	}
	r, err := p.Measure(t.Context(), s)
	require.NoError(t, err)
	assert.NotEmpty(t, again)
	assert.Equal(t, p.Keys, r.Keys)
	requireNothingLeft(t, p)
}

func set[T any](t *testing.T, to *T, value T) {
	was := *to
	*to = value
	t.Cleanup(func() { *to = was })
}

func TestInterruption(t *testing.T) {
	p := plan(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	p.Progress = func(phase string, done, _ uint64, _ string) {
		if strings.Contains(phase, "existing") && done > 10 {
			cancel()
		}
	}
	if _, err := p.Measure(ctx, self(t, adaptertest.EngineVariable, "goleveldb")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	requireNothingLeft(t, p)
}

// TestOwnCountsMustMatchDevice allows a difference of 1% in reads and bytes, and more device
// reads only where the kernel splits reads.
func TestOwnCountsMustMatchDevice(t *testing.T) {
	for _, c := range []struct {
		own          engineCounts
		reads, bytes float64
		holds        bool
	}{
		{engineCounts{reads: 1000, bytes: 1 << 20}, 1000, 1 << 20, true},
		{engineCounts{reads: 1000, bytes: 1 << 20}, 1009, 1 << 20, true},
		{engineCounts{reads: 1000, bytes: 1 << 20}, 1011, 1 << 20, false},
		{engineCounts{reads: 1000, bytes: 1 << 20}, 989, 1 << 20, false},
		{engineCounts{reads: 1000, bytes: 1 << 20}, 1000, 1.02 * (1 << 20), false},
		{engineCounts{reads: 1000, bytes: 1 << 20, large: 3}, 1100, 1 << 20, true},
		{engineCounts{reads: 1000, bytes: 1 << 20, large: 3}, 900, 1 << 20, false},
		{engineCounts{reads: 1000, bytes: 1 << 20, large: 3}, 1100, 0.98 * (1 << 20), false},
		{engineCounts{reads: 1000, bytes: 1 << 20}, 0, 0, false},
	} {
		assert.Equal(t, c.holds, c.own.checkAgainst(c.reads, c.bytes).OK)
	}
}

// TestMeanReads checks that the interval of the lookups is Student's, and that one lookup has none.
func TestMeanReads(t *testing.T) {
	lookups := []float64{4}
	if r := meanReads(lookups, 100); r.Lookups != 1 || r.Reads != 4 || r.Bytes != 100 || r.CI95 != nil {
		t.Errorf("one lookup: %+v", r)
	}
	lookups = append(lookups, 1, 2, 3)
	// The variance of the sample is 5/3, and the quantile for 3 degrees of freedom 3.182446.
	half := 3.182446305 * math.Sqrt(5.0/3/4)
	r := meanReads(lookups, 100)
	if r.Reads != 2.5 || math.Abs(r.CI95[0]-(2.5-half)) > 1e-8 || math.Abs(r.CI95[1]-(2.5+half)) > 1e-8 {
		t.Errorf("%+v, want 2.5 ± %v", r, half)
	}
}

// TestOpeningReachesAllTables draws keys for a store of 3,000 tables. One of them is missed on average.
func TestOpeningReachesAllTables(t *testing.T) {
	const tables = 3000
	m := &measurement{
		Plan:       &Plan{Question: Question{Keys: 30_000_000, Seed: 1, Lookups: 100}},
		storeBytes: tables * smallTable,
	}
	asked := map[uint64]bool{}
	for _, n := range m.lookups(kinds[0], m.openingLookups(), 0).numbers {
		asked[n*tables/m.Keys] = true
	}
	assert.Less(t, tables-len(asked), 5)

	m.storeBytes = smallTable
	assert.Equal(t, m.Lookups, m.openingLookups())
}

// TestFillReachesLargestBudget checks that the lookups touch as many different pages as the
// budget holds.
func TestFillReachesLargestBudget(t *testing.T) {
	for _, share := range []float64{0.01, 0.2, 0.5, 0.9} {
		m := &measurement{Plan: &Plan{Question: Question{Shares: []float64{share / 2, share}}}, record: &record.State{DiskBytes: 4096 * 10_000}}
		n := m.fill()
		distinct := 10_000 * (1 - math.Exp(-float64(n)/10_000))
		if distinct < share*10_000 || float64(n) > 1.3*-math.Log(1-share)*10_000 {
			t.Errorf("%d lookups ask for %.0f pages, to fill %.0f", n, distinct, share*10_000)
		}
	}
}
