package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// sharedPublished is the published database small. Making it takes as much processor time as all that is done with it, so
// it outlives the tests, in the user's cache under a checksum of the code that makes it. It is made anew when that changes.
var sharedPublished = sync.OnceValues(func() (string, error) {
	builds, err := exec.Command("go", "list", "-export", "-f", "{{.BuildID}}", "getio/load", "getio/engine/pebble/v1").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(builds)
	dir := filepath.Join(cache, "getio-published-"+hex.EncodeToString(sum[:8]))
	if now := time.Now(); os.Chtimes(dir, now, now) == nil {
		return dir, nil
	}
	return dir, errors.Join(makePublished(dir), removeUnused(filepath.Join(cache, "getio-published-*")))
})

// makePublished makes the database, which gets its name only when it is complete.
func makePublished(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	made := filepath.Join(making, "small")
	if err := getio("load", made, "--virtual", "--shape", "small"); err != nil {
		return err
	}
	if err := os.Rename(made, dir); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // another test has made it meanwhile
}

// removeUnused removes directories that no test has used for a week.
func removeUnused(pattern string) error {
	dirs, err := filepath.Glob(pattern)
	for _, dir := range dirs {
		if info, lost := os.Stat(dir); lost == nil && time.Since(info.ModTime()) > 7*24*time.Hour {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

func scriptPublished(ts *testscript.TestScript, _ bool, args []string) {
	from, err := sharedPublished()
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, from))
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		return linkOrCopy(path, to)
	}))
}

// linkOrCopy copies a file that lies on another file system.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}
