package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"getio/system/filesystem"
)

// fingerprint describes all files below dir, one a line: by name, mode, inode, size and
// modification time, and if hashed by SHA-256 and the modification times of directories too.
func fingerprint(dir string, hashed bool) (string, error) {
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s %s", path, fi.Mode())
		if hashed || fi.Mode().IsRegular() {
			fmt.Fprintf(&out, " %s", fi.ModTime().Format("15:04:05.000000000"))
		}
		if fi.Mode().IsRegular() {
			fmt.Fprintf(&out, " %d %d", fi.Size(), fi.Sys().(*syscall.Stat_t).Ino)
		}
		if hashed && fi.Mode().IsRegular() {
			sum, err := filesystem.SHA256(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, " %s", sum)
		}
		fmt.Fprintln(&out)
		return nil
	})
	return out.String(), err
}

// firstDifference is the first line in which two fingerprints differ.
func firstDifference(a, b string) string {
	before, after := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(before), len(after)) {
		var x, y string
		if i < len(before) {
			x = before[i]
		}
		if i < len(after) {
			y = after[i]
		}
		if x != y {
			return fmt.Sprintf("was %q, is %q", x, y)
		}
	}
	return ""
}

// rememberedKey keeps a fingerprint in a script's environment.
func rememberedKey(dir string) string { return "FINGERPRINT_" + filepath.Base(dir) }

func scriptRemember(ts *testscript.TestScript, _ bool, args []string) {
	print, err := fingerprint(resolved(ts, args[0]), true)
	ts.Check(err)
	ts.Setenv(rememberedKey(args[0]), print)
}

func scriptUnchanged(ts *testscript.TestScript, _ bool, args []string) {
	print, err := fingerprint(resolved(ts, args[0]), true)
	ts.Check(err)
	if d := firstDifference(ts.Getenv(rememberedKey(args[0])), print); d != "" {
		ts.Fatalf("%s was changed: %s", args[0], d)
	}
}

// resolved resolves symbolic links, at which a walk would stop.
func resolved(ts *testscript.TestScript, dir string) string {
	path, err := filepath.EvalSymlinks(ts.MkAbs(dir))
	ts.Check(err)
	return path
}

func TestFingerprintSees(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f")
		seen := map[string]bool{}
		for _, change := range []func() error{
			func() error { return os.WriteFile(file, []byte("abc"), 0o644) },
			func() error { return os.WriteFile(file, []byte("abd"), 0o644) },
			func() error { return os.WriteFile(file+"2", nil, 0o644) },
			func() error { return os.Chmod(file, 0o600) },
			func() error { return os.Rename(file+"2", file) },
		} {
			require.NoError(t, change())
			print, err := fingerprint(dir, hashed)
			require.NoError(t, err)
			if seen[print] {
				t.Errorf("hashed %v: a change went unnoticed: %s", hashed, print)
			}
			seen[print] = true
		}
	}
}
