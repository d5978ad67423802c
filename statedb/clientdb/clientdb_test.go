//go:build cgo

package clientdb

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	mdbxlib "github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/mdbxfile"
	"getio/internal/adaptertest"
	"getio/internal/mdbxtest"
	"getio/internal/memorydir"
	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/counter"
	"getio/statedb/mdbx"
	"getio/system/filelock"
	"getio/system/loopdisk"
	"getio/workload"
	"getio/workload/popularity"
)

func TestMain(m *testing.M) {
	adaptertest.Run(m, func(string) (adapter.Engine, error) { return mdbx.NewReader() })
}

// testState is shared by all runs, so that each removes what a killed run left.
var testState = filepath.Join(os.TempDir(), "getio-clientdb-tests")

// operatorsDisk returns a directory with a database on a disk that nobody else reads.
func operatorsDisk(t *testing.T, keys int) string {
	t.Helper()
	if !counter.Allowed() {
		t.Skip(counter.ErrRoot)
	}
	at := t.TempDir()
	if text := os.Getenv(mdbxtest.KeysEnv); text != "" {
		var err error
		keys, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	disk, err := loopdisk.Make(at, memorydir.For(t), int64(keys)*2048+128<<20)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	dir := filepath.Join(at, "db")
	require.NoError(t, os.Mkdir(dir, 0o755))
	mdbxtest.New(t, dir, keys).Close()
	return dir
}

// newPlan is a plan that keeps results.
func newPlan(t *testing.T, dir string) *Plan {
	t.Setenv(adaptertest.EngineVariable, "mdbx")
	return &Plan{
		Dir: dir, State: testState, Workload: workload.Workload{Keys: workload.Keys{Seed: 1}, Warmup: workload.AutoWarmup},
		Progress: func(string, uint64, uint64, string, string) {},
		Finish:   func(*record.Result) error { return nil },
	}
}

func size(t *testing.T, text string) lsm.CacheSize {
	t.Helper()
	c, err := lsm.ParseCacheSize(text)
	require.NoError(t, err)
	return c
}

func sumsOf(t *testing.T, dir string) (sums [][32]byte) {
	t.Helper()
	for _, name := range []string{mdbxfile.Name, mdbxfile.LockName} {
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		h := sha256.New()
		_, err = io.Copy(h, f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		sums = append(sums, [32]byte(h.Sum(nil)))
	}
	return sums
}

// TestReadsAreTheDevices: the figures equal what the disk of the database counts, for which nobody
// else reads, and nothing in its directory changes.
func TestReadsAreTheDevices(t *testing.T) {
	dir := operatorsDisk(t, 40_000)
	before := sumsOf(t, dir)
	p := newPlan(t, dir)
	p.Gets = 10_000
	p.Caches = []lsm.CacheSize{size(t, "8MiB"), size(t, "12MiB")}
	results, err := p.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before, sumsOf(t, dir), "measuring changed the database")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
	for i, r := range results {
		t.Logf("cache %d: %.4f reads and %.0f bytes per Get, %v", r.Cache.Bytes, r.IOsPerGet.Mean, r.BytesPerGet, r.Tables)
		assert.True(t, r.Checks.Hold(), "%v", r.Checks)
		assert.Equal(t, *r.Device.DiskReadsPerGet, r.IOsPerGet.Mean)
		assert.Equal(t, r.IOsPerGet.Mean*4096, r.BytesPerGet)
		if i > 0 {
			assert.Less(t, r.IOsPerGet.Mean, results[i-1].IOsPerGet.Mean)
		}
		var reads float64
		for _, table := range r.Tables {
			reads += table.ReadsPerGet * float64(table.Gets)
		}
		assert.InDelta(t, r.IOsPerGet.Mean*float64(p.Gets), reads, 1e-6)
	}
}

// TestResumes: a run of the same plan takes its results from the journal, and a run with other tables
// or keys does not.
func TestResumes(t *testing.T) {
	dir := operatorsDisk(t, 3000)
	p := newPlan(t, dir)
	p.Gets, p.Caches = 1000, []lsm.CacheSize{size(t, "8MiB")}
	p.Journal.Path = filepath.Join(t.TempDir(), "kept")
	kept := func() int {
		p.Journal = record.Journal{Path: p.Journal.Path}
		_, err := p.Run(t.Context())
		require.NoError(t, err)
		results, err := p.Journal.Results()
		require.NoError(t, err)
		return len(results)
	}
	assert.Equal(t, 1, kept())
	assert.Equal(t, 1, kept())
	p.Tables = []string{"Bytecodes"}
	assert.Equal(t, 2, kept())
	p.Seed = 2
	assert.Equal(t, 3, kept())
	p.Absent = 0.1
	assert.Equal(t, 4, kept())
	p.Popularity.Zipf = 0.99
	assert.Equal(t, 5, kept())
	assert.Equal(t, 5, kept())
}

// TestRefusals: what cannot be measured is refused in a sentence, and leaves nothing behind.
func TestRefusals(t *testing.T) {
	dir, noneAbsent := operatorsDisk(t, 3000), t.TempDir()
	mdbxtest.NoneAbsent(t, noneAbsent)
	for says, change := range map[string]func(p *Plan){
		`no table "Nothing": use --table with one of`:                       func(p *Plan) { p.Tables = []string{"Nothing"} },
		`table "Empty" is empty: choose another one`:                        func(p *Plan) { p.Tables = []string{"Empty"} },
		"is named twice: leave out one --table":                             func(p *Plan) { p.Tables = []string{"Bytecodes", "Bytecodes"} },
		"is too small for the kernel to keep to: take at least":             func(p *Plan) { p.Caches = []lsm.CacheSize{size(t, "1MiB")} },
		"IP1 is an inflection point of an LSM tree, which this database is": func(p *Plan) { p.Caches = []lsm.CacheSize{size(t, "IP1")} },
		"invalid --warmup 5% for an MDBX database: want auto or a number":   func(p *Plan) { p.Warmup = workload.WarmupOneIn(20) },
		"no absent keys can be made for table backwards, which does not":    func(p *Plan) { p.Dir, p.Tables, p.Absent = noneAbsent, []string{"backwards"}, 0.1 },
		"so reads of it cannot be counted":                                  func(p *Plan) { p.Dir = copyTo(t, dir, "/dev/shm") },
	} {
		p := newPlan(t, dir)
		p.Gets, p.Caches = 1000, []lsm.CacheSize{size(t, "8MiB")}
		change(p)
		_, err := p.Run(t.Context())
		assert.ErrorContains(t, err, says)
	}
	env, err := mdbxlib.NewEnv(mdbxlib.Default)
	require.NoError(t, err)
	require.NoError(t, env.Open(dir, mdbxlib.Readonly, 0o600))
	_, err = newPlan(t, dir).Run(t.Context())
	assert.ErrorIs(t, err, filelock.ErrLocked)
	env.Close()
	entries, err := os.ReadDir(testState)
	require.NoError(t, err)
	assert.Empty(t, entries, "directories of runs are left")
}

// copyTo copies a data file to a new directory in another one.
func copyTo(t *testing.T, dir, in string) string {
	to, err := os.MkdirTemp(in, "getio-clientdb-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(to) })
	data, err := os.ReadFile(filepath.Join(dir, mdbxfile.Name))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(to, mdbxfile.Name), data, 0o600))
	return to
}

// TestDefaultTables: those of the known schema with the most entries, otherwise the largest table.
func TestDefaultTables(t *testing.T) {
	table := func(name string, entries uint64, leaves int64) mdbxfile.Table {
		return mdbxfile.Table{Name: name, Tree: mdbxfile.Tree{Entries: entries, LeafPages: leaves}}
	}
	for want, tables := range map[string][]mdbxfile.Table{
		"PlainAccountState,PlainStorageState": {table("PlainStorageState", 9, 1), table("PlainAccountState", 1, 1), table("PlainState", 9, 90)},
		"HashedAccounts,HashedStorages":       {table("PlainAccountState", 0, 0), table("HashedAccounts", 5, 1), table("HashedStorages", 7, 1)},
		"HashedStorages":                      {table("HashedAccounts", 0, 0), table("HashedStorages", 7, 1), table("Headers", 70, 10)},
		"PlainState":                          {table("PlainState", 9, 1), table("Code", 900, 1)},
		"Bodies":                              {table("Headers", 9, 10), table("Bodies", 1, 11)},
	} {
		chosen, err := chooseTables(&mdbxfile.Database{Tables: tables}, nil)
		require.NoError(t, err)
		var names []string
		for _, c := range chosen {
			names = append(names, c.Name)
		}
		assert.Equal(t, want, strings.Join(names, ","))
	}
	_, err := chooseTables(&mdbxfile.Database{}, nil)
	assert.ErrorContains(t, err, "has no keys: choose one that a client has filled")
}

// TestReadsAreThePages: a cache that holds all pages reads each page of a lookup once, and no other.
// The pages are those that a search of the file itself passes.
func TestReadsAreThePages(t *testing.T) {
	dir := operatorsDisk(t, 20_000)
	for _, c := range []struct {
		tables []string
		random workload.Keys
	}{
		{}, {tables: []string{"PlainState"}}, {tables: []string{"Bytecodes"}}, {tables: []string{"TxHashNumber", "AccountChangeSet"}},
		{random: workload.Keys{Absent: 0.5}},
		{tables: []string{"Bytecodes", "TxHashNumber"}, random: workload.Keys{Absent: 1}},
		{random: workload.Keys{Absent: 0.1, Popularity: popularity.Popularity{Zipf: 1.2}}},
	} {
		p := newPlan(t, dir)
		p.Gets, p.Warmup, p.Tables, p.Keys = 2000, workload.WarmupGets(0), c.tables, c.random
		p.Caches = []lsm.CacheSize{size(t, "256MiB")}
		results, err := p.Run(t.Context())
		require.NoError(t, err)
		r := results[0]
		require.True(t, r.Checks.Hold(), "%v", r.Checks)
		pages := map[uint32]bool{}
		m, err := p.prepare()
		require.NoError(t, err)
		require.NoError(t, m.draw(t.Context(), p.Gets))
		search := newSearch(t, dir, m.db.PageBytes, pages)
		// A transaction reads the three pages of the database's states, and the one that lists its tables.
		for _, number := range []uint32{0, 1, 2, m.db.Main.Root} {
			search.page(number)
		}
		for i, table := range m.tables {
			for _, l := range m.lookups[i].drawn[:r.Tables[i].Gets] {
				search.lookUp(table.Tree, l)
			}
		}
		require.NoError(t, m.close())
		reads := int(r.IOsPerGet.Mean*float64(p.Gets) + 0.5)
		assert.Equal(t, len(pages), reads, "%v", c)
		assert.Equal(t, 1-c.random.Absent, r.Workload.HitFraction)
	}
}
