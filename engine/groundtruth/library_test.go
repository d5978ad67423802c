package groundtruth

import (
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
)

// countersFile is the source that every patched library gets as a package of
// its own, named groundtruth.
const countersFile = "testdata/counters/counters.go"

// library is one version of Pebble and what is changed in it.
type library struct {
	module string
	edits  []edit
}

var libraries = []library{
	{"github.com/cockroachdb/pebble", patchesV1},
	{"github.com/cockroachdb/pebble/v2", patchesV2},
}

// patched returns a directory that holds the patched library. The directory
// outlives the test: at a path that stays, the go command finds the library
// already built.
func (l library) patched(t *testing.T) string {
	t.Helper()
	version, source := l.locate(t)
	counters, err := os.ReadFile(countersFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cacheDir(), "getio-groundtruth-"+l.hash(version, counters))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	// The copy gets its name only when it is complete.
	making, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(making)
	if err := copySource(making, source); err != nil {
		t.Fatal(err)
	}
	if err := apply(making, l.edits); err != nil {
		t.Fatalf("%s %s: %v", l.module, version, err)
	}
	if err := writeFile(filepath.Join(making, "groundtruth", path.Base(countersFile)), counters); err != nil {
		t.Fatal(err)
	}
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
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}\n{{.Dir}}", l.module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", l.module, failure(err))
	}
	version, dir, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	if dir == "" {
		t.Fatalf("%s is not in the module cache: run 'go mod download'", l.module)
	}
	return version, dir
}

// hash names what a patched library is made of.
func (l library) hash(version string, counters []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", l.module, version, counters)
	for _, e := range l.edits {
		fmt.Fprintf(h, "%q %d %q %q\n", e.file, e.times, e.old, e.new)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// cacheDir is a directory that lasts, or at least one that can be written to.
func cacheDir() string {
	if dir, err := os.UserCacheDir(); err == nil && os.MkdirAll(dir, 0o755) == nil {
		return dir
	}
	return os.TempDir()
}

// copySource copies a module without its tests and their data, which are most
// of it. Files of the module cache are read-only; those of the copy are not.
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
		return writeFile(filepath.Join(to, strings.TrimPrefix(name, from)), source)
	})
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o644)
}

// failure adds what a command wrote on stderr to its error.
func failure(err error) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}
