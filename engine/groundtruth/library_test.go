package groundtruth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// countersFile is the source of the package groundtruth that every patched library gets.
const countersFile = "testdata/counters/counters.go"

// library is one version of Pebble and the patch that makes it count.
type library struct {
	module string
	patch  string // a file
}

var libraries = []library{
	{"github.com/cockroachdb/pebble", "testdata/pebble-v1.patch"},
	{"github.com/cockroachdb/pebble/v2", "testdata/pebble-v2.patch"},
}

// patched returns a directory that holds the patched library. It outlives the test, so
// that the go command compiles the library only once.
func (l library) patched(t *testing.T) string {
	t.Helper()
	version, source := l.locate(t)
	counters := readAll(t, countersFile)
	sum := sha256.Sum256([]byte(strings.Join([]string{l.module, version, counters, readAll(t, l.patch)}, "\x00")))
	dir := filepath.Join(cacheDir(), "getio-groundtruth-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	// The copy gets its name only when it is complete.
	making, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".making-")
	require.NoError(t, err)
	defer os.RemoveAll(making)
	require.NoError(t, copySource(making, source))
	require.NoError(t, apply(making, l.patch), "%s %s", l.module, version)
	require.NoError(t, writeFile(filepath.Join(making, "groundtruth", path.Base(countersFile)), counters))
	if err := os.Rename(making, dir); err != nil {
		if _, made := os.Stat(dir); made != nil { // not by another test at this moment
			t.Fatal(err)
		}
	}
	return dir
}

// locate finds the unmodified library in the module cache.
func (l library) locate(t *testing.T) (version, dir string) {
	t.Helper()
	version, dir, _ = strings.Cut(goList(t, "{{.Version}}\n{{.Dir}}", l.module), "\n")
	require.NotEmpty(t, dir, "%s is not in the module cache: run 'go mod download'", l.module)
	return version, dir
}

// cacheDir returns the user's cache directory, or the one for temporary files.
func cacheDir() string {
	if dir, err := os.UserCacheDir(); err == nil && os.MkdirAll(dir, 0o755) == nil {
		return dir
	}
	return os.TempDir()
}

// copySource copies a module without its tests and their data. The copies are writable,
// unlike files of the module cache.
func copySource(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(to, strings.TrimPrefix(name, from)), string(source))
	})
}

// apply applies a patch to the copy of a module in dir. Every hunk must fit at its very line: a
// version whose source differs makes the test fail rather than count something else.
func apply(dir, patch string) error {
	patch, err := filepath.Abs(patch)
	if err != nil {
		return err
	}
	cmd := exec.Command("git", "apply", "--verbose", patch)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)) // no repository
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("offset")) {
		return fmt.Errorf("%s does not fit this version of the library: make it anew (%v)\n%s", patch, err, out)
	}
	return nil
}

func TestApplyIsExact(t *testing.T) {
	const source = "zero\none\ntwo\n"
	for _, c := range []struct {
		patch string
		want  string // "" if the patch must be refused
	}{
		{"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n zero\n-one\n+1\n two\n", "zero\n1\ntwo\n"},
		{"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n zero\n-one\n+1\n three\n", ""},
		{"--- a/a.go\n+++ b/a.go\n@@ -2,3 +2,3 @@\n zero\n-one\n+1\n two\n", ""},
		{"--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n-three\n+3\n two\n", ""},
		{"--- a/b.go\n+++ b/b.go\n@@ -1,3 +1,3 @@\n zero\n-one\n+1\n two\n", ""},
	} {
		dir := t.TempDir()
		name, patch := filepath.Join(dir, "a.go"), filepath.Join(t.TempDir(), "patch")
		for file, content := range map[string]string{name: source, patch: c.patch} {
			require.NoError(t, writeFile(file, content))
		}
		err := apply(dir, patch)
		if got := readAll(t, name); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%q: error %v, source %q, want %q", c.patch, err, got, c.want)
		}
	}
}
