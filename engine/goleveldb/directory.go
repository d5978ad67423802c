package goleveldb

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/syndtr/goleveldb/leveldb/storage"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/goleveldb/ldbfile"
	"getio/engine/ondisk"
)

// directory is what a LevelDB database's file names say.
type directory struct {
	path     string
	manifest storage.FileDesc
	// tables maps numbers to file names, which end in .ldb, or in .sst from old versions.
	tables map[int64]string
	logs   []storage.FileDesc
}

// readDirectory recognises a LevelDB database by its file names and CURRENT. Errors say what
// dir is instead; they wrap engine.ErrNoDatabase if it holds no database at all.
func readDirectory(dir string) (*directory, error) {
	names, err := ondisk.Names(dir)
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
		case strings.HasPrefix(name, "OPTIONS-") || strings.HasPrefix(name, "marker.") || name == "IDENTITY":
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
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf("%s is not a LevelDB database (it has %s, which Pebble and RocksDB write): use another engine", dir, foreign)}
	case !current && !ldb:
		return nil, fmt.Errorf("%s holds %w of LevelDB (no CURRENT, no .ldb tables; entries: %d): name a database directory, or make one with 'getio load'",
			dir, engine.ErrNoDatabase, len(names))
	case !current:
		return nil, fmt.Errorf("%s has %d tables but no CURRENT, which names its MANIFEST: the database is damaged, restore it from a copy", dir, len(d.tables))
	case len(d.tables) > 0 && !ldb && !log:
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf("%s has neither LevelDB's LOG and .ldb tables nor the OPTIONS file of another library: the database is damaged, restore it from a copy", dir)}
	}
	d.manifest, err = readCurrent(dir)
	return d, err
}

// client returns the client that wrote the newest table which can be read, by the name of its filter. A client may be
// writing a newer one.
func (d *directory) client() string {
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(d.tables))) {
		path := filepath.Join(d.path, d.tables[number])
		fi, err := os.Stat(path)
		if err != nil {
			continue
		}
		policy, err := ldbfile.FilterPolicy(catalog.Ref{Path: path, Size: fi.Size()})
		if err != nil {
			continue
		}
		if policy == ldbfile.OriginalFilters {
			return clientOriginal
		}
		break
	}
	return clientGo
}

// readCurrent returns the MANIFEST that CURRENT names, which must exist.
func readCurrent(dir string) (storage.FileDesc, error) {
	name, err := ondisk.Current(dir)
	if err != nil {
		return storage.FileDesc{}, err
	}
	fd, ok := parseName(name)
	if !ok {
		return storage.FileDesc{}, fmt.Errorf("%s does not name a MANIFEST: the database is damaged, restore it from a copy", filepath.Join(dir, "CURRENT"))
	}
	return fd, ondisk.RequireManifest(dir, name)
}

// parseName returns the type and number of a database file (goleveldb:
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

// types maps file name extensions to file types.
var types = map[string]storage.FileType{
	"log": storage.TypeJournal, "ldb": storage.TypeTable, "sst": storage.TypeTable, "tmp": storage.TypeTemp,
}
