package mdbxdata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/mdbxfile"
)

func TestFind(t *testing.T) {
	above := t.TempDir()
	_, ok := Find(above)
	assert.False(t, ok)
	dir := filepath.Join(above, "chaindata")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, mdbxfile.Name), nil, 0o644))
	found, ok := Find(above)
	assert.True(t, ok)
	assert.Equal(t, dir, found)
}
