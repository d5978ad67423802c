package getio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "getio/"

// TestImportsAreAsDrawn holds every package's imports to the list in
// docs/architecture.md.
func TestImportsAreAsDrawn(t *testing.T) {
	allowed, order := drawn(t)
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		seen[name] = true
		may, listed := allowed[name]
		if !listed {
			t.Errorf("%s is not listed in docs/architecture.md", name)
			continue
		}
		for _, imported := range p.Imports {
			below, ours := strings.CutPrefix(imported, module)
			if ours && !slices.Contains(may, below) {
				t.Errorf("%s imports %s, which docs/architecture.md does not allow", name, below)
			}
		}
	}
	for i, name := range order {
		if !seen[name] {
			t.Errorf("docs/architecture.md lists %s, which is not there", name)
		}
		for _, below := range allowed[name] {
			if !slices.Contains(order[:i], below) {
				t.Errorf("docs/architecture.md lets %s import %s, which does not stand below it", name, below)
			}
		}
	}
}

// drawn reads the list of allowed imports.
func drawn(t *testing.T) (allowed map[string][]string, order []string) {
	t.Helper()
	doc, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "```imports\n")
	list, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("docs/architecture.md has no list of imports")
	}
	allowed = map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		name, may, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("docs/architecture.md: %q lists no package", line)
		}
		allowed[name] = strings.Fields(may)
		order = append(order, name)
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
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath != strings.TrimSuffix(module, "/") {
			all = append(all, p)
		}
	}
}
