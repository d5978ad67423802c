package goleveldb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine"
)

// directory is what the file names of a LevelDB database tell.
type directory struct {
	path     string
	manifest storage.FileDesc
	// tables names the table of each number: new ones end in .ldb, those of old
	// versions in .sst.
	tables map[int64]string
	logs   []storage.FileDesc
}

// readDirectory recognises a LevelDB database by its files. It opens only CURRENT.
// Errors say what dir is instead; they wrap engine.ErrNoDatabase where it holds no
// database at all.
func readDirectory(dir string) (*directory, error) {
	names, err := list(dir)
	if err != nil {
		return nil, err
	}
	d := &directory{path: dir, tables: map[int64]string{}}
	var current, log, ldb bool
	var foreign string
	for _, name := range names {
		fd, isFile := parseName(name)
		switch {
		case name == "CURRENT":
			current = true
		case name == "LOG":
			log = true
		case strings.HasPrefix(name, "OPTIONS-") || strings.HasPrefix(name, "marker."):
			foreign = name
		case isFile && fd.Type == storage.TypeJournal:
			d.logs = append(d.logs, fd)
		case isFile && fd.Type == storage.TypeTable:
			if isLDB := strings.HasSuffix(name, ".ldb"); isLDB || d.tables[fd.Num] == "" {
				d.tables[fd.Num] = name
				ldb = ldb || isLDB
			}
		}
	}
	switch {
	case foreign != "":
		return nil, &engine.OtherEngine{Text: fmt.Sprintf("%s is not a LevelDB database (it has %s, which Pebble and RocksDB write): use another engine", dir, foreign)}
	case !current && !ldb:
		return nil, fmt.Errorf("%s holds %w of LevelDB (no CURRENT, no .ldb tables; %d files): name a database directory, or make one with 'getio load'",
			dir, engine.ErrNoDatabase, len(names))
	case !current:
		return nil, fmt.Errorf("%s has %d tables but no CURRENT, which names its MANIFEST: the database is damaged, restore it from a copy", dir, len(d.tables))
	case len(d.tables) > 0 && !ldb && !log:
		return nil, &engine.OtherEngine{Text: fmt.Sprintf("%s has neither LevelDB's LOG and .ldb tables nor the OPTIONS file of another library: the database is damaged, restore it from a copy", dir)}
	}
	d.manifest, err = readCurrent(dir)
	return d, err
}

func list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there: name an existing database directory (%w)", dir, engine.ErrNoDatabase)
	case err != nil && isFile(dir):
		return nil, fmt.Errorf("%s is a file: name the directory that holds the database (%w)", dir, engine.ErrNoDatabase)
	case err != nil:
		return nil, fmt.Errorf("cannot look into %s: %w", dir, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.IsDir()
}

// readCurrent reads which MANIFEST counts, and looks for it.
func readCurrent(dir string) (storage.FileDesc, error) {
	path := filepath.Join(dir, "CURRENT")
	b, err := os.ReadFile(path)
	if err != nil {
		return storage.FileDesc{}, fmt.Errorf("cannot read %s: %w", path, err)
	}
	text, whole := strings.CutSuffix(string(b), "\n")
	fd, ok := parseName(text)
	if !whole || !ok || fd.Type != storage.TypeManifest {
		return storage.FileDesc{}, fmt.Errorf("%s does not name a MANIFEST: the database is damaged, restore it from a copy", path)
	}
	if _, err := os.Stat(filepath.Join(dir, fd.String())); errors.Is(err, fs.ErrNotExist) {
		return storage.FileDesc{}, fmt.Errorf("%s: %s, which names its tables, is missing: the database is damaged, restore it from a copy", dir, fd)
	}
	return fd, nil
}

// parseName tells which of a database's files has this name (goleveldb:
// leveldb/storage/file_storage.go, fsParseName).
func parseName(name string) (storage.FileDesc, bool) {
	digits, kind := name, storage.TypeManifest
	if rest, ok := strings.CutPrefix(name, "MANIFEST-"); ok {
		digits = rest
	} else {
		base, ext, _ := strings.Cut(name, ".")
		digits, kind = base, types[ext]
	}
	var number int64
	if _, err := fmt.Sscanf(digits, "%d", &number); err != nil || kind == 0 || strings.Trim(digits, "0123456789") != "" {
		return storage.FileDesc{}, false
	}
	return storage.FileDesc{Type: kind, Num: number}, true
}

// types of files, by what their names end in.
var types = map[string]storage.FileType{
	"log": storage.TypeJournal, "ldb": storage.TypeTable, "sst": storage.TypeTable, "tmp": storage.TypeTemp,
}
