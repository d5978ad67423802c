package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for _, name := range sources {
		want, err := twin(filepath.Join("..", "v2"), name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "v1", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("v1/%s is not what v2/%s generates: run go generate ./engine/pebble/...", name, name)
		}
	}
}
