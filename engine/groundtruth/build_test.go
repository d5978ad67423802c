package groundtruth

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// buildProbe builds the program with a copy of the module's go.mod that replaces the libraries by
// the patched ones. (The go command accepts no -overlay of files in the module cache.)
func buildProbe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root := goList(t, "{{.Dir}}", "getio")
	goMod := readAll(t, filepath.Join(root, "go.mod"))
	for _, l := range libraries {
		goMod += fmt.Sprintf("\nreplace %s => %q\n", l.module, l.patched(t))
	}
	modFile := filepath.Join(dir, "go.mod")
	require.NoError(t, writeFile(modFile, goMod))
	require.NoError(t, writeFile(filepath.Join(dir, "go.sum"), readAll(t, filepath.Join(root, "go.sum"))))
	noteSources(t)
	program := filepath.Join(dir, "probe")
	build := exec.Command("go", "test", "-c", "-buildvcs=false", "-modfile="+modFile, "-o", program, "./testdata/probe")
	build.Env = append(os.Environ(), "GOWORK=off") // go takes no -modfile in a workspace
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return program
}

// noteSources looks at the program's files, so that the go command does not reuse a cached
// result of the test when they change.
func noteSources(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("testdata/probe/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/probe: %d files, %v", len(files), err)
	}
	for _, name := range files {
		readAll(t, name)
	}
}

// goList returns what the go command says of a module.
func goList(t *testing.T, format, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", format, module).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func readAll(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(content)
}

func writeFile(name, content string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(content), 0o644)
}
