package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/experiment/demo"
	"getio/workload"
)

// sharedPublished is the published database small, made once for all tests.
func sharedPublished() (string, error) {
	return sharedDir("published-small", func(dir string) error {
		return getio("load", dir, "--virtual", "--shape", "small")
	})
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
		return os.Link(path, to)
	}))
}

// TestDemoShowsBothCurves makes the demo's runs with fewer Gets.
func TestDemoShowsBothCurves(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	from, err := sharedPublished()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(from, filepath.Join(dir, "small")))
	for _, asJSON := range []bool{false, true} {
		d := &demoFlags{Options: demo.Options{Dir: dir, Workers: 1}, json: asJSON}
		tour, err := demo.New(d.Options)
		require.NoError(t, err)
		c := demoCommand()
		c.SetContext(t.Context())
		w, err := d.progress.Begin(c)
		require.NoError(t, err)
		var out bytes.Buffer
		c.SetOut(&out)
		runs, err := tour.Open(t.Context())
		require.NoError(t, err)
		runs.Options.Gets, runs.Options.Warmup = 3000, workload.WarmupGets(100)
		runs.Caches = slices.DeleteFunc(runs.Caches, func(o engine.OpenConfig) bool {
			return !slices.Contains([]int64{45 << 20, 210 << 20}, o.CacheBytes)
		})
		err = d.sweep(c, tour, runs, w)
		w.End()
		require.NoError(t, errors.Join(err, runs.Database.Close()))
		want := []string{"45 MiB   published   1.97", "these runs made 3,000 Gets", "# both", "Records: " + tour.Records}
		if asJSON {
			want = []string{`"cache_mib":45,`, `"cache_mib":210,`, `"gets":3000`}
			assert.Equal(t, 2, strings.Count(out.String(), "\n"))
		}
		printed := strings.Join(strings.Fields(out.String()), " ") // wherever its lines break
		for _, text := range want {
			assert.Contains(t, printed, strings.Join(strings.Fields(text), " "))
		}
	}
}
