// Generate writes the twin of the engine for Pebble v2: the source files of package pebblev2
// that need no changes for v1 but import paths, the package name and vfs's write categories
// become files of package pebblev1. `go generate ./engine/pebble/...` runs it.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
)

// sources are the files of package pebblev2 that have a twin.
var sources = []string{"db.go", "fs.go", "loader.go", "options.go", "store.go", "updating.go"}

// changes turn the source for v2 into that for v1, in this order. v1's file system has no
// write categories.
var changes = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`github\.com/cockroachdb/pebble/v2`), "github.com/cockroachdb/pebble"},
	{regexp.MustCompile(`\bpebblev2\b`), "pebblev1"},
	{regexp.MustCompile(`, (_|category) vfs\.DiskWriteCategory`), ""},
	{regexp.MustCompile(`, category\)`), ")"},
}

func main() {
	for _, name := range sources {
		text, err := twin(filepath.Join("..", "v2"), name)
		if err == nil {
			err = os.WriteFile(filepath.Join("..", "v1", name), text, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// twin returns the v1 version of the named v2 file in dir.
func twin(dir, name string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		source = c.from.ReplaceAll(source, []byte(c.to))
	}
	header := fmt.Sprintf("// Code generated from v2/%s by engine/pebble/generate. DO NOT EDIT.\n\n", name)
	return format.Source(bytes.Join([][]byte{[]byte(header), source}, nil))
}
