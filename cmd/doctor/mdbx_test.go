//go:build cgo

package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/statedb/counter"
)

// TestMDBX: a database that the library made, in a client's data directory, is named for what it is.
func TestMDBX(t *testing.T) {
	datadir := t.TempDir()
	dir := filepath.Join(datadir, "db")
	env, err := mdbx.NewEnv(mdbx.Default)
	require.NoError(t, err)
	require.NoError(t, env.SetGeometry(-1, -1, 1<<20, -1, -1, 4096))
	require.NoError(t, env.Open(dir, mdbx.Create, 0o755))
	inUse := verdict(examine(t, datadir), "measure, sweep")
	env.Close()
	d := examine(t, datadir)
	assert.Equal(t, dir, d.Path)
	assert.Contains(t, d.Refused, "is an MDBX database")
	assert.Nil(t, d.Engine)
	assert.Equal(t, &record.Feasible{Command: "inspect", Works: true}, verdict(d, "inspect"))
	if !counter.Allowed() {
		assert.Equal(t, counter.ErrRoot.Error(), verdict(d, "measure, sweep").Why)
		return
	}
	assert.Equal(t, &record.Feasible{Command: "measure, sweep", Works: true}, verdict(d, "measure, sweep"))
	assert.Contains(t, inUse.Why, "the database is in use")
}

// TestFileNamedAsMDBX: a file of the name is not a database.
func TestFileNamedAsMDBX(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mdbx.dat"), []byte("notes"), 0o644))
	d := examine(t, dir)
	assert.NotContains(t, d.Refused, "is an MDBX database")
	require.Contains(t, d.Refused, "mdbx.dat")
	assert.Equal(t, d.Refused, verdict(d, "inspect, measure, sweep").Why)
}
