//go:build cgo

package doctor

import (
	"path/filepath"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMDBX: a database that the library made is named for what it is.
func TestMDBX(t *testing.T) {
	dir := t.TempDir()
	env, err := mdbx.NewEnv(mdbx.Default)
	require.NoError(t, err)
	require.NoError(t, env.SetGeometry(-1, -1, 1<<20, -1, -1, 4096))
	require.NoError(t, env.Open(dir, mdbx.Create, 0o644))
	env.Close()
	version, ok := mdbxVersion(filepath.Join(dir, "mdbx.dat"))
	assert.True(t, ok)
	assert.EqualValues(t, 3, version)
	d := examine(t, dir)
	assert.Contains(t, d.Refused, "is an MDBX database (format 3)")
	assert.Nil(t, d.Engine)
	assert.Equal(t, "no engine of this getio reads the database, as said above", verdict(d, "inspect, measure, sweep").Why)
}
