package getio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "getio/"

// truth is what figures are compared with: it shares no code with them.
const truth = module + "internal/truth"

// TestImports checks the imports between rooms against the list in docs/architecture.md.
// Go itself refuses import cycles between the packages of a room.
func TestImports(t *testing.T) {
	allowed, order := listedImports(t)
	seen := map[string]bool{}
	for _, p := range packages(t) {
		room := roomOf(p.ImportPath)
		seen[room] = true
		may, listed := allowed[room]
		if !listed {
			t.Errorf("docs/architecture.md does not list the room %s of %s", room, p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			if strings.HasPrefix(p.ImportPath, truth) && !strings.HasPrefix(imported, truth) {
				t.Errorf("%s imports %s, which is compared with it", p.ImportPath, imported)
			}
			below := roomOf(imported)
			if below != room && !slices.Contains(may, below) {
				t.Errorf("%s imports %s: docs/architecture.md does not let %s import %s", p.ImportPath, imported, room, below)
			}
			if library, other := libraryOf(p.ImportPath), libraryOf(imported); library != "" && other != "" && library != other {
				t.Errorf("%s imports %s: engines do not import each other", p.ImportPath, imported)
			}
		}
	}
	for room, may := range allowed {
		assert.NotContains(t, may, "internal", "internal is for tests only, and %s is not a test", room)
	}
	for i, room := range order {
		assert.True(t, seen[room], "docs/architecture.md lists %s, which has no package", room)
		for _, below := range allowed[room] {
			assert.Contains(t, order[:i], below, "docs/architecture.md lets %s import %s, which is not listed before it", room, below)
		}
	}
}

// TestDependencies checks that docs/architecture.md says what each direct dependency is for, and of no other.
func TestDependencies(t *testing.T) {
	doc, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(doc), "## Dependencies\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				listed = append(listed, m[1])
			}
		}
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{if not (or .Indirect .Main)}}{{.Path}}{{end}}", "all").Output()
	require.NoError(t, err)
	assert.ElementsMatch(t, strings.Fields(string(out)), listed)
}

// roomOf returns the directory at the top that a package lies in.
func roomOf(importPath string) string {
	room, _, _ := strings.Cut(strings.TrimPrefix(importPath, module), "/")
	return room
}

// libraryOf returns the measured library that a package of an engine belongs to, "" for others.
func libraryOf(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, module+"engine/")
	if !ok {
		return ""
	}
	library, _, _ := strings.Cut(rest, "/")
	if slices.Contains([]string{"pebble", "goleveldb", "rocksdb"}, library) {
		return library
	}
	return ""
}

// listedImports reads the list of allowed imports.
func listedImports(t *testing.T) (allowed map[string][]string, order []string) {
	t.Helper()
	doc, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(doc), "```imports\n")
	list, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("docs/architecture.md has no list of imports")
	}
	allowed = map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		room, may, ok := strings.Cut(line, ":")
		require.True(t, ok, "docs/architecture.md: %q lists no room", line)
		allowed[room] = strings.Fields(may)
		order = append(order, room)
	}
	return allowed, order
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) (all []goPackage) {
	t.Helper()
	out, err := exec.Command("go", "list", "-tags", "rocksdb", "-json=ImportPath,Imports", "./...").Output()
	require.NoError(t, err)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if p.ImportPath != strings.TrimSuffix(module, "/") {
			all = append(all, p)
		}
	}
}
