package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/workload/dataset"
)

// TestRecord watches a program at work, and requires the cost of the Gets that the trace holds.
func TestRecord(t *testing.T) {
	probetest.RequireRights(t)
	t.Setenv("TMPDIR", t.TempDir())
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 20_000, Workers: 1, Endless: true, Rate: 5000, Cache: 256 << 10}
	p := probetest.Start(t, "", c)
	p.Go(t)
	r, err := Record(t.Context(), p.PID, Run{For: 3 * time.Second}, Advisable{})
	require.NoError(t, err)
	assert.Equal(t, c.Dirs[0], r.Dir)
	assert.Positive(t, r.IOsPerGet)
	assert.Positive(t, r.Trace.Warmup)
	assert.Greater(t, r.Trace.Operations, r.Trace.Warmup)
	require.NoError(t, r.Close())
	requireNothingLeft(t)
}

// TestRecordLevelDB: a database of LevelDB is recorded if its cache is known.
func TestRecordLevelDB(t *testing.T) {
	probetest.RequireRights(t)
	t.Setenv("TMPDIR", t.TempDir())
	c := probetest.Config{Library: "goleveldb", Dirs: directories(t, 1), Keys: 20_000, Workers: 1, Endless: true, Rate: 5000, Cache: 256 << 10}
	p := probetest.Start(t, "", c)
	p.Go(t)
	_, err := Record(t.Context(), p.PID, Run{For: time.Second}, Advisable{Database: "/elsewhere", Cached: true})
	assert.ErrorContains(t, err, "the process has no database open in /elsewhere")
	r, err := Record(t.Context(), p.PID, Run{For: 3 * time.Second}, Advisable{Database: c.Dirs[0], Cached: true})
	require.NoError(t, err)
	assert.Equal(t, c.Dirs[0], r.Dir)
	assert.Positive(t, r.IOsPerGet)
	require.NoError(t, r.Close())
	requireNothingLeft(t)
}

func requireNothingLeft(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), temporary+"*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestRecordOfNothing: a program that asks for nothing gives no trace.
func TestRecordOfNothing(t *testing.T) {
	probetest.RequireRights(t)
	t.Setenv("TMPDIR", t.TempDir())
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 20_000, Workers: 1, Endless: true, Cache: 256 << 10}
	p := probetest.Start(t, "", c)
	_, err := Record(t.Context(), p.PID, Run{For: 200 * time.Millisecond}, Advisable{})
	assert.ErrorContains(t, err, "too few Gets to advise on")
	other := probetest.Start(t, "", probetest.Config{Library: "goleveldb", Dirs: directories(t, 1), Keys: 1000, Workers: 1, Endless: true, Cache: 256 << 10})
	_, err = Record(t.Context(), other.PID, Run{For: time.Hour}, Advisable{})
	assert.ErrorContains(t, err, "is a database of goleveldb, which does not say how large its cache is: give the size with --cache")
	young := probetest.Start(t, "", probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 10, Workers: 1, Endless: true, Cache: 256 << 10})
	_, err = Record(t.Context(), young.PID, Run{For: time.Hour}, Advisable{})
	assert.ErrorContains(t, err, "has no tables yet and serves all Gets from memory: try again")
	top := t.TempDir()
	m := &dataset.Manifest{
		Keys: 20_000, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesRandom, ValueSize: 110, Order: dataset.OrderRandom,
		Engine: "pebblev2", Complete: true,
	}
	require.NoError(t, m.Write(top))
	own := probetest.Start(t, "", probetest.Config{Library: "pebblev2", Dirs: []string{m.DBDir(top)}, Keys: 20_000, Workers: 1, Endless: true, Cache: 256 << 10})
	_, err = Record(t.Context(), own.PID, Run{For: time.Hour}, Advisable{})
	assert.EqualError(t, err, top+" is a dataset of getio, which only getio opens: wait until the process ends, and advise on "+top)
	_, err = Record(t.Context(), 1<<22, Run{For: time.Second}, Advisable{})
	assert.ErrorContains(t, err, "there is no process")
	requireNothingLeft(t)
}

// TestRunning: a name of a file means the file, whatever processes are called.
func TestRunning(t *testing.T) {
	pid, err := Running("4194304")
	require.NoError(t, err)
	assert.Equal(t, 4194304, pid)
	_, err = Running("no-such-program")
	assert.EqualError(t, err, "no-such-program is neither a directory nor a running process: name a database directory, or start the program first")
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("17", 0o755))
	for _, path := range []string{"17", "./no-such-program"} {
		pid, err := Running(path)
		require.NoError(t, err)
		assert.Zero(t, pid, path)
	}
}
