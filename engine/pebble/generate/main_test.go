package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for v2, v1 := range sources {
		want, err := twin(root, v2)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(root, v1))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s is not what %s generates: run go generate ./engine/pebble/...", v1, v2)
	}
}
