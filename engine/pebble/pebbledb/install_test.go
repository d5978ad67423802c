package pebbledb

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

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
			check(t, os.MkdirAll(filepath.Join(dir, obstacle, "full"), 0o755))
			if err := writeDatabase(dir, files); err == nil {
				t.Errorf("format %s: no error although %s could not be written", format, obstacle)
			}
			check(t, os.RemoveAll(filepath.Join(dir, obstacle)))
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
				check(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644))
			}
			for _, name := range []string{"000007.log", "000008-001.log", "MANIFEST-000009", "OPTIONS-000011", "CURRENT.000009.dbtmp", "marker.manifest.000003.MANIFEST-000009"} {
				check(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644))
			}
			others := []string{"000004.sst", "000044.sst", "getio.json", "build.log", "LOCK"}
			for _, name := range others {
				check(t, os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644))
			}
			check(t, Install(dir, nil, func() (NewFiles, error) { return newDatabase(files), nil }))
			want := append(slices.Collect(maps.Keys(newDatabase(files))), others[:4]...)
			got, err := ondisk.Names(dir)
			check(t, err)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("from %s to %s: %v, want %v", from, to, got, want)
			}
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
		check(t, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("old"), 0o644))
		if err := Install(dir, nil, create); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got, err := ondisk.Names(dir); err != nil || !slices.Equal(got, []string{"CURRENT"}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestLockForWriting(t *testing.T) {
	dir := t.TempDir()
	lock, err := filelock.ForWriting(dir) // no LOCK file exists yet
	check(t, err)
	check(t, lock.Close())
	reader, err := filelock.ForReading(filepath.Join(dir, "LOCK"))
	check(t, err)
	if _, err := filelock.ForWriting(dir); !errors.Is(err, filelock.ErrLocked) {
		t.Errorf("locked by a reader: %v", err)
	}
	check(t, reader.Close())
	lock, err = filelock.ForWriting(dir)
	check(t, err)
	check(t, lock.Close())
	if _, err := filelock.ForWriting(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing directory was locked")
	}
}

func TestCheckTablesSortsByLevelAndAge(t *testing.T) {
	dir := t.TempDir()
	table := func(level int, file, seq uint64, key string) engine.BuiltTable {
		check(t, os.WriteFile(TablePath(dir, file), []byte("x"), 0o644))
		k := engine.BuiltKey{Key: []byte(key), Seq: seq}
		return engine.BuiltTable{Level: level, File: file, Size: 1, Smallest: k, Largest: k, SmallestSeq: seq, LargestSeq: seq}
	}
	tables := []engine.BuiltTable{
		table(6, 20, 0, "b"), table(0, 21, 9, "a"), table(6, 22, 0, "a"), table(0, 23, 7, "b"), table(3, 24, 3, "z"), table(0, 25, 8, "a"),
	}
	sorted, err := CheckTables(dir, tables)
	check(t, err)
	var got []uint64
	for _, t := range sorted {
		got = append(got, t.File)
	}
	if want := []uint64{23, 25, 21, 24, 22, 20}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if tables[0].File != 20 {
		t.Error("the caller's list was sorted")
	}
}
