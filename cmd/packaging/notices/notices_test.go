package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParts reads this test's own binary, which lists no modules, and finds one in the module cache.
func TestParts(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, write(&text, self))
	assert.Contains(t, text.String(), "\nGo "+strings.TrimPrefix(runtime.Version(), "go")+": LICENSE\n")
	assert.NotContains(t, text.String(), "src/cmd/")

	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/spf13/cobra").Output()
	require.NoError(t, err)
	dir, err := moduleDir("github.com/spf13/cobra", strings.TrimSpace(string(version)))
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "LICENSE.txt"))
}

func TestTexts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one/LICENSE":             "Do as you like.\n",
		"one/third/COPYING.txt":   "Not that.\r\n",
		"one/testdata/LICENSE":    "Of a test.\n",
		"one/license.go":          "package one\n",
		"two/LICENSE.md":          "Do as you like.",
		"three/a.go":              "package three\n",
		"three/b.go":              "// Copyright somebody.\n// MIT licence.\n\npackage three\n",
		"without/a.go":            "package without // Copyright\n",
		"with/PATENTS":            "None.\n",
		"with/skipped/LICENSE":    "Not in the program.\n",
		"with/kept/NOTICE":        "It is.\n",
		"with/kept/copyleft.text": "No licence.\n",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	var text strings.Builder
	n := notices{w: &text, first: map[string]string{}}
	for _, name := range []string{"one", "two", "three"} {
		require.NoError(t, n.write(part{name: name, dir: filepath.Join(dir, name)}))
	}
	require.NoError(t, n.write(part{"with", filepath.Join(dir, "with"), filepath.Join(dir, "with/skipped")}))
	rule := strings.Repeat("=", 72)
	assert.Equal(t, `
`+rule+`
one: LICENSE

Do as you like.

`+rule+`
one: third/COPYING.txt

Not that.

`+rule+`
two: LICENSE.md

The same text as that of one: LICENSE

`+rule+`
three: b.go

// Copyright somebody.
// MIT licence.

`+rule+`
with: PATENTS

None.

`+rule+`
with: kept/NOTICE

It is.
`, text.String())
	assert.ErrorContains(t, n.write(part{name: "without", dir: filepath.Join(dir, "without")}), "without has no file with a licence in ")
}

func TestNoGoProgram(t *testing.T) {
	assert.ErrorContains(t, write(new(strings.Builder), "notices_test.go"), "name a program that Go built")
}
