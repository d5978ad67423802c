// Command generate writes the files for Pebble v1 that are twins of files for v2. A twin differs from
// its source only in import paths, in names that contain the version, and in the arguments by which v2
// tells its file system what is written. `go generate ./engine/pebble/...` runs it.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
)

// sources are the files for v2 that have a twin, and the twins, from the root of the module.
var sources = map[string]string{
	"engine/pebble/v2/db.go":             "engine/pebble/v1/db.go",
	"engine/pebble/v2/fs.go":             "engine/pebble/v1/fs.go",
	"engine/pebble/v2/loader.go":         "engine/pebble/v1/loader.go",
	"engine/pebble/v2/options.go":        "engine/pebble/v1/options.go",
	"engine/pebble/v2/store.go":          "engine/pebble/v1/store.go",
	"engine/pebble/v2/updating.go":       "engine/pebble/v1/updating.go",
	"internal/probetest/pebblev2.go":     "internal/probetest/pebblev1.go",
	"internal/truth/pebblev2/library.go": "internal/truth/pebblev1/library.go",
}

// changes turn the source for v2 into that for v1, in this order. v1's file system has no
// write categories.
var changes = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`github\.com/cockroachdb/pebble/v2`), "github.com/cockroachdb/pebble"},
	{regexp.MustCompile(`\bpebblev2\b`), "pebblev1"},
	{regexp.MustCompile(`([a-zP])V2\b`), "${1}V1"},
	{regexp.MustCompile(`Pebble v2`), "Pebble v1"},
	{regexp.MustCompile(`, (_|category) vfs\.DiskWriteCategory`), ""},
	{regexp.MustCompile(`, category\)`), ")"},
}

// root is where `go generate` finds the root of the module, from engine/pebble/v2.
const root = "../../.."

func main() {
	for v2, v1 := range sources {
		text, err := twin(root, v2)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, v1), text, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// twin returns the v1 version of a source.
func twin(root, name string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		source = c.from.ReplaceAll(source, []byte(c.to))
	}
	header := fmt.Sprintf("// Code generated from %s by engine/pebble/generate. DO NOT EDIT.\n\n", name)
	return format.Source(bytes.Join([][]byte{[]byte(header), source}, nil))
}
