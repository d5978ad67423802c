package groundtruth

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// apply applies a patch to the copy of a module in dir. Every hunk must fit at its very
// line: a version whose source differs makes the test fail rather than count something
// else.
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
			check(t, writeFile(file, content))
		}
		err := apply(dir, patch)
		if got := readAll(t, name); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%q: error %v, source %q, want %q", c.patch, err, got, c.want)
		}
	}
}
