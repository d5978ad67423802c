package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for _, name := range sources {
		want, err := twin(filepath.Join("..", "v2"), name)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join("..", "v1", name))
		require.NoError(t, err)
		assert.Equal(t, want, got, "v1/%s is not what v2/%s generates: run go generate ./engine/pebble/...", name, name)
	}
}
