package pebbledb

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/ondisk"
	"getio/system/filelock"
)

// newDatabases holds the files that the libraries create for a new database, by format.
var newDatabases = map[string]NewFiles{
	"1": {"CURRENT": []byte("MANIFEST-000001\n")},
	"2": {"CURRENT": []byte("MANIFEST-000001\n"), "marker.format-version.000001.002": nil, "marker.manifest.000001.MANIFEST-000001": nil},
	"13": {
		"CURRENT":                                []byte("MANIFEST-000000\n"),
		"marker.format-version.000012.013":       nil,
		"marker.manifest.000001.MANIFEST-000001": nil,
	},
	"13 of v2": {"marker.format-version.000001.013": nil, "marker.manifest.000001.MANIFEST-000001": nil},
}

// newDatabase adds the files that databases of all formats have.
func newDatabase(files NewFiles) NewFiles {
	files = maps.Clone(files)
	files["MANIFEST-000001"] = nil
	files["OPTIONS-000003"] = []byte("[Version]\n  pebble_version=0.1\n")
	files["000002.log"] = nil
	files["LOCK"] = nil
	return files
}

// TestInterruptedInstallLeavesNoDatabase fails to write each file in turn. If a marker
// names the MANIFEST, the database is complete without CURRENT.
func TestInterruptedInstallLeavesNoDatabase(t *testing.T) {
	for format, files := range newDatabases {
		files := newDatabase(files)
		delete(files, "LOCK")
		_, marked := files["marker.manifest.000001.MANIFEST-000001"]
		for obstacle := range files {
			dir := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(dir, obstacle, "full"), 0o755))
			assert.Error(t, writeDatabase(dir, files), "format %s: no error although %s could not be written", format, obstacle)
			require.NoError(t, os.RemoveAll(filepath.Join(dir, obstacle)))
			_, err := ReadDirectory(dir)
			if got, want := err == nil, marked && obstacle == "CURRENT"; got != want {
				t.Errorf("format %s, without %s: is a database: %v, want %v", format, obstacle, got, want)
			}
		}
	}
}

func TestInstallReplacesDatabase(t *testing.T) {
	for from, old := range newDatabases {
		for to, files := range newDatabases {
			dir := t.TempDir()
			for name := range newDatabase(old) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644))
			}
			for _, name := range []string{"000007.log", "000008-001.log", "MANIFEST-000009", "OPTIONS-000011", "CURRENT.000009.dbtmp", "marker.manifest.000003.MANIFEST-000009"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644))
			}
			others := []string{"000004.sst", "000044.sst", "getio.json", "build.log", "LOCK"}
			for _, name := range others {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644))
			}
			require.NoError(t, Install(dir, nil, func() (NewFiles, error) { return newDatabase(files), nil }))
			want := append(slices.Collect(maps.Keys(newDatabase(files))), others[:4]...)
			got, err := ondisk.Names(dir)
			require.NoError(t, err)
			slices.Sort(want)
			slices.Sort(got)
			assert.Equal(t, want, got, "from %s to %s", from, to)
			for _, name := range others {
				if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "mine" {
					t.Errorf("from %s to %s: %s: %q, %v", from, to, name, b, err)
				}
			}
		}
	}
}

func TestFailedInstallChangesNothing(t *testing.T) {
	for name, create := range map[string]func() (NewFiles, error){
		"create":           func() (NewFiles, error) { return nil, errors.New("broken") },
		"damaged MANIFEST": func() (NewFiles, error) { return NewFiles{"MANIFEST-000001": []byte("damaged")}, nil },
		"no MANIFEST":      func() (NewFiles, error) { return NewFiles{"CURRENT": nil}, nil },
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("old"), 0o644))
		assert.Error(t, Install(dir, nil, create), "%s: no error", name)
		if got, err := ondisk.Names(dir); err != nil || !slices.Equal(got, []string{"CURRENT"}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestLockForWriting(t *testing.T) {
	dir := t.TempDir()
	lock, err := filelock.ForWriting(dir) // no LOCK file exists yet
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	reader, err := filelock.ForReading(filepath.Join(dir, "LOCK"))
	require.NoError(t, err)
	if _, err := filelock.ForWriting(dir); !errors.Is(err, filelock.ErrLocked) {
		t.Errorf("locked by a reader: %v", err)
	}
	require.NoError(t, reader.Close())
	lock, err = filelock.ForWriting(dir)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	_, err = filelock.ForWriting(filepath.Join(dir, "none"))
	assert.Error(t, err, "a missing directory was locked")
}

func TestCheckTablesSortsByLevelAndAge(t *testing.T) {
	dir := t.TempDir()
	table := func(level int, file, seq uint64, key string) engine.BuiltTable {
		require.NoError(t, os.WriteFile(TablePath(dir, file), []byte("x"), 0o644))
		k := engine.BuiltKey{Key: []byte(key), Seq: seq}
		return engine.BuiltTable{Level: level, File: file, Size: 1, Smallest: k, Largest: k, SmallestSeq: seq, LargestSeq: seq}
	}
	tables := []engine.BuiltTable{
		table(6, 20, 0, "b"), table(0, 21, 9, "a"), table(6, 22, 0, "a"), table(0, 23, 7, "b"), table(3, 24, 3, "z"), table(0, 25, 8, "a"),
	}
	sorted, err := CheckTables(dir, tables)
	require.NoError(t, err)
	var got []uint64
	for _, t := range sorted {
		got = append(got, t.File)
	}
	assert.Equal(t, []uint64{23, 25, 21, 24, 22, 20}, got)
	assert.EqualValues(t, 20, tables[0].File, "the caller's list was sorted")
}
