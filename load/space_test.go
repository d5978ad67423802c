package load

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/workload/dataset"
)

// TestLoadThatCannotFit creates nothing. A virtual dataset keeps no keys.
func TestLoadThatCannotFit(t *testing.T) {
	j := newJob(t, 100_000_000_000_000, 100, 1)
	err := j.New(context.Background())
	assert.ErrorContains(t, err, "the keys and values take at least 3.9 PiB, and ")
	assert.ErrorContains(t, err, " are free for "+j.Dir+": choose a directory on a larger file system, or load fewer keys")
	assert.NoDirExists(t, filepath.Dir(j.Dir))

	j.Manifest.Build = dataset.BuildVirtual
	assert.NoError(t, j.requireSpace(""))
}

// TestResumedLoadThatCannotFit leaves what is there.
func TestResumedLoadThatCannotFit(t *testing.T) {
	j := newJob(t, 100_000_000_000_000, 100, 1)
	require.NoError(t, os.MkdirAll(j.Manifest.DBDir(j.Dir), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(j.Manifest.DBDir(j.Dir), "000001.log"), make([]byte, 100_000), 0o600))
	require.NoError(t, j.writeUnfinished())
	j = again(t, j.Dir)
	before := files(t, j.Dir)
	assert.ErrorContains(t, j.Resume(context.Background()), " that are written: free some, then resume with 'getio load "+j.Dir+" --resume'")
	assert.Equal(t, before, files(t, j.Dir))
}
