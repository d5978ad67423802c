package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/workload/dataset"
)

// files lists everything in and below a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return strings.Join(names, "\n")
}

func TestDirectoryWithAnythingInItIsLeftAlone(t *testing.T) {
	t.Parallel()
	whole := newJob(t, 10, 0, 1)
	require.NoError(t, whole.New(context.Background()))
	unfinished := copied(t, whole.Dir)
	m, err := dataset.Read(unfinished)
	require.NoError(t, err)
	m.Complete, m.Progress, m.Finished = false, &dataset.Progress{}, time.Time{}
	require.NoError(t, m.Write(unfinished))
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "notes.txt"), []byte("x"), 0o600))
	for name, c := range map[string]struct{ dir, says string }{
		"other files":             {full, "notes.txt"},
		"a whole dataset":         {whole.Dir, "complete dataset of 10 keys"},
		"an unfinished dataset":   {unfinished, "--resume"},
		"a database":              {whole.Manifest.DBDir(whole.Dir), "not empty"},
		"a file":                  {filepath.Join(full, "notes.txt"), "is a file"},
		"something below a file":  {filepath.Join(full, "notes.txt", "below"), "file"},
		"a manifest of something": {fabricated(t, dataset.ManifestName, "{}"), "not empty"},
	} {
		before := ""
		if !strings.Contains(name, "below") {
			before = files(t, c.dir)
		}
		j := newJob(t, 10, 0, 1)
		j.Dir = c.dir
		assert.ErrorContains(t, j.New(context.Background()), c.says)
		if before != "" && files(t, c.dir) != before {
			t.Errorf("%s: directory changed from %s to %s", name, before, files(t, c.dir))
		}
	}
	holdWhole(t, whole.Dir)
}

func fabricated(t *testing.T, name, content string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	return dir
}

func TestEmptyDirectoryIsTaken(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"empty":                                 t.TempDir(),
		"what a killed load left of a manifest": fabricated(t, ".getio-0123456789abcdef", "{"),
		"not there":                             filepath.Join(t.TempDir(), "a", "b", "c"),
	} {
		j := newJob(t, 10, 0, 1)
		j.Dir = dir
		if err := j.New(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		holdWhole(t, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, ".getio-*")); len(left) > 0 {
			t.Errorf("%s: %v was left behind", name, left)
		}
	}
}

// noCreate is an engine that begins to create a database and then fails.
type noCreate struct{ engine.Engine }

var errNoCreate = errors.New("no database today")

func (noCreate) Create(dir string, _ engine.Config) (engine.Loader, error) {
	os.MkdirAll(dir, 0o755)
	os.WriteFile(filepath.Join(dir, "LOCK"), nil, 0o644)
	return nil, errNoCreate
}

func TestLoadThatCannotBeginLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for dir, left := range map[string]bool{
		filepath.Join(parent, "new"):         false,
		filepath.Join(parent, "a", "b", "c"): false,
		t.TempDir():                          true, // existed before
	} {
		j := newJob(t, 10, 0, 1)
		j.Dir, j.Engine = dir, noCreate{j.Engine}
		if err := j.New(context.Background()); !errors.Is(err, errNoCreate) {
			t.Errorf("%s: %v", dir, err)
		}
		_, err := os.Stat(dir)
		assert.Equal(t, left, (err == nil), dir)
		if left && files(t, dir) != dir {
			t.Errorf("%s holds %s", dir, files(t, dir))
		}
	}
	assert.Equal(t, parent, files(t, parent))
}

func TestTwoLoadsDoNotWriteToOneDirectory(t *testing.T) {
	t.Parallel()
	j := newJob(t, 1001, 100, 2)
	var second error
	j.Progress = func(s Stage) {
		if s.Phase == "settle" && second == nil {
			second = again(t, j.Dir).Resume(context.Background())
		}
	}
	require.NoError(t, j.New(context.Background()))
	if second == nil || !strings.Contains(second.Error(), "locked by another") {
		t.Errorf("second load: error %v, want one that says it is locked", second)
	}
	holdWhole(t, j.Dir)
}
