package pebbledb

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/record"

	"getio/engine"
	"getio/engine/ondisk"
	"getio/system/atomicfile"
	"getio/system/filelock"
)

// NewFiles holds the files of a new database without tables, by name. A LOCK file is ignored.
type NewFiles map[string][]byte

// ReadFiles reads the named files.
func ReadFiles(names []string, open func(name string) (io.ReadCloser, error)) (NewFiles, error) {
	files := NewFiles{}
	for _, name := range names {
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		contents, err := io.ReadAll(f)
		if err := cmp.Or(err, f.Close()); err != nil {
			return nil, err
		}
		files[name] = contents
	}
	return files, nil
}

// Install implements engine.Builder for either library. create creates a new database without
// tables in memory, because a library that opened dir would delete the tables as obsolete.
func Install(dir string, tables []engine.BuiltTable, create func() (NewFiles, error)) error {
	tables, err := CheckTables(dir, tables)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot create %s: %w", dir, err)
	}
	names, err := ondisk.Names(dir)
	if err != nil {
		return err
	}
	if err := checkReplaceable(dir, names); err != nil {
		return err
	}
	files, err := create()
	if err != nil {
		return err
	}
	if err := addTables(files, tables); err != nil {
		return err
	}
	lock, err := filelock.ForWriting(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := removeDatabase(dir, names); err != nil {
		return err
	}
	return writeDatabase(dir, files)
}

// addTables adds the tables to the MANIFEST in files.
func addTables(files NewFiles, tables []engine.BuiltTable) error {
	delete(files, "LOCK")
	for name, contents := range files {
		if !strings.HasPrefix(name, "MANIFEST-") {
			continue
		}
		manifest, err := appendRecord(contents, VersionEdit(tables))
		if err != nil {
			return fmt.Errorf("the new database's %s cannot be written: %w", name, err)
		}
		files[name] = manifest
		return nil
	}
	return fmt.Errorf("the library made a database without a MANIFEST: getio needs an update for it")
}

// appendRecord returns a copy of a MANIFEST of either version with one more record.
func appendRecord(manifest, edit []byte) ([]byte, error) {
	var extended bytes.Buffer
	w := record.NewWriter(&extended)
	for r := record.NewReader(bytes.NewReader(manifest), 0); ; {
		next, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		old, err := io.ReadAll(next)
		if err != nil {
			return nil, err
		}
		if _, err := w.WriteRecord(old); err != nil {
			return nil, err
		}
	}
	if _, err := w.WriteRecord(edit); err != nil {
		return nil, err
	}
	err := w.Close()
	return extended.Bytes(), err
}

// isDatabaseFile reports whether the file, other than a table, is part of a database.
func isDatabaseFile(name string) bool {
	return namesManifest(name) || strings.HasPrefix(name, "MANIFEST-") || strings.HasPrefix(name, "OPTIONS-") ||
		strings.HasPrefix(name, "marker.") || strings.HasSuffix(name, ".dbtmp") || isWAL(name)
}

// isWAL reports whether name is a numbered log of the libraries, not a user's log file.
func isWAL(name string) bool {
	stem, isLog := strings.CutSuffix(name, ".log")
	return isLog && strings.Trim(stem, "0123456789-") == ""
}

// namesManifest reports whether a library finds the MANIFEST by this file. Without such a file
// there is no database. If a database has both, Pebble v1 uses the marker, as getio does.
func namesManifest(name string) bool {
	return name == "CURRENT" || strings.HasPrefix(name, "marker.manifest.")
}

// checkReplaceable returns an error if the directory holds a database of another kind.
func checkReplaceable(dir string, names []string) error {
	for _, name := range names {
		if ext := filepath.Ext(name); ext == ".ldb" || ext == ".blob" {
			return fmt.Errorf("%s holds a database of another kind (%s): choose another directory", dir, name)
		}
	}
	return nil
}

// removeDatabase removes all files of the database but its tables. It starts with the files that
// name the MANIFEST, CURRENT first, because it has no effect if there is a marker.
func removeDatabase(dir string, names []string) error {
	naming, others := split(names)
	var failed error
	for _, name := range naming { // try all of them: without its marker it is no database even if CURRENT stays
		if err := cmp.Or(remove(dir, name), syncDir(dir)); err != nil {
			failed = fmt.Errorf("cannot remove the database that was in %s: %w", dir, err)
		}
	}
	if failed != nil {
		return failed
	}
	for _, name := range others {
		if !isDatabaseFile(name) {
			continue
		}
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("cannot remove the remaining files of the database that was in %s: %w", dir, err)
		}
	}
	return nil
}

func remove(dir, name string) error { return os.Remove(filepath.Join(dir, name)) }

// writeDatabase writes the files. Those that name the MANIFEST come last, after all
// others are synced, and CURRENT comes after the marker.
func writeDatabase(dir string, files NewFiles) error {
	naming, others := split(slices.Collect(maps.Keys(files)))
	slices.Reverse(naming)
	for _, name := range others {
		if err := writeFile(dir, name, files[name]); err != nil {
			return err
		}
	}
	for _, name := range naming {
		if err := syncDir(dir); err != nil {
			return err
		}
		if err := writeFile(dir, name, files[name]); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// split sorts the names and separates the files that name the MANIFEST.
func split(names []string) (naming, others []string) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		if namesManifest(name) {
			naming = append(naming, name)
		} else {
			others = append(others, name)
		}
	}
	return naming, others
}

// writeFile writes a file atomically.
func writeFile(dir, name string, contents []byte) error {
	path := filepath.Join(dir, name)
	temporary := filepath.Join(dir, "temporary.000001.dbtmp") // the libraries remove files with this extension
	err := os.WriteFile(temporary, contents, 0o666)
	if err == nil {
		err = atomicfile.Sync(temporary)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func syncDir(dir string) error {
	if err := atomicfile.Sync(dir); err != nil {
		return fmt.Errorf("cannot sync %s: %w", dir, err)
	}
	return nil
}
