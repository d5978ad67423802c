package chaindata

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFreezers(t *testing.T) {
	dir := t.TempDir()
	index := func(removed byte, items int) []byte {
		return append([]byte{0, 3, 0, 0, 0, removed}, make([]byte, 6*items)...)
	}
	write(t, filepath.Join(dir, "chain", "headers.cidx"), index(0, 5))
	write(t, filepath.Join(dir, "chain", "headers.0000.cdat"), make([]byte, 1000))
	write(t, filepath.Join(dir, "chain", "headers.0001.cdat"), make([]byte, 500))
	write(t, filepath.Join(dir, "chain", "headers.meta"), make([]byte, 32))
	write(t, filepath.Join(dir, "chain", "hashes.ridx"), nil)
	write(t, filepath.Join(dir, "state", "account.data.cidx"), index(200, 7))
	write(t, filepath.Join(dir, "state", "account.data.10000.cdat"), make([]byte, 9))
	write(t, filepath.Join(dir, "bodies.cidx"), index(0, 1))
	write(t, filepath.Join(dir, "FLOCK"), nil)
	got, err := Freezers(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Table{
		{Name: "bodies", Items: 1, Bytes: 12},
		{Freezer: "chain", Name: "hashes"},
		{Freezer: "chain", Name: "headers", Items: 5, Bytes: 1500 + 36},
		{Freezer: "state", Name: "account.data", Items: 207, Removed: 200, Bytes: 9 + 48},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	if none, err := Freezers(filepath.Join(dir, "nowhere")); err != nil || none != nil {
		t.Errorf("no freezer: %v, %v", none, err)
	}
	if _, err := Freezers(filepath.Join(dir, "FLOCK")); err == nil {
		t.Error("a file is taken for a freezer")
	}
	write(t, filepath.Join(dir, "chain", "bals.cidx"), []byte{1, 2})
	if _, err := Freezers(dir); err == nil {
		t.Error("an index without a whole entry is taken")
	}
}
