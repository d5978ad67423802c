package tempdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOnlyWhatNobodyHoldsIsRemoved(t *testing.T) {
	in := t.TempDir()
	held, err := MakeTemporary(in, "a.tmp-")
	check(t, err)
	left, err := MakeTemporary(in, "a.tmp-")
	check(t, err)
	check(t, os.WriteFile(filepath.Join(left.Dir, "file"), nil, 0o600))
	check(t, left.Lock.Close()) // as when its process is killed
	check(t, os.Mkdir(filepath.Join(in, "b.tmp-1"), 0o700))
	check(t, os.WriteFile(filepath.Join(in, "a.tmp-file"), nil, 0o600))

	used, err := RemoveAbandoned(in, "a.tmp-")
	check(t, err)
	if want := []string{filepath.Base(held.Dir)}; !slices.Equal(used, want) {
		t.Errorf("in use are %v, want %v", used, want)
	}
	requireNames(t, in, filepath.Base(held.Dir), "a.tmp-file", "b.tmp-1")
	check(t, held.Remove())
	requireNames(t, in, "a.tmp-file", "b.tmp-1")
	if used, err := RemoveAbandoned(filepath.Join(in, "missing"), "a"); err != nil || used != nil {
		t.Errorf("in use are %v, error %v", used, err)
	}
	if _, err := MakeTemporary(filepath.Join(in, "missing"), "a"); err == nil {
		t.Error("a directory was made in none")
	}
}

// TestWhatCannotBeUndoneStays, for the next start to try again.
func TestWhatCannotBeUndoneStays(t *testing.T) {
	in := t.TempDir()
	left, err := MakeTemporary(in, "a.tmp-")
	check(t, err)
	check(t, left.Lock.Close())
	failed := errors.New("failed")
	if _, err := UndoAbandoned(in, "a.tmp-", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	requireNames(t, in, filepath.Base(left.Dir))
	undone := ""
	_, err = UndoAbandoned(in, "a.tmp-", func(dir string) error { undone = dir; return nil })
	check(t, err)
	if undone != left.Dir {
		t.Errorf("%s was undone, want %s", undone, left.Dir)
	}
	requireNames(t, in)
}

func requireNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
}
