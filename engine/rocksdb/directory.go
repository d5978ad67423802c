package rocksdb

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"getio/engine"
	"getio/engine/ondisk"
)

// directory is what a RocksDB database's file names and options file say.
type directory struct {
	path     string
	written  map[string]string // the newest options file, by "Section.key"
	logs     []string
	tables   []string // of all column families
	manifest *manifest
}

// readDirectory recognises a RocksDB database by its file names, CURRENT and its options file.
// Errors say what dir is instead; they wrap engine.ErrNoDatabase if it holds no database at all.
func readDirectory(dir string) (*directory, error) {
	names, err := ondisk.Names(dir)
	if err != nil {
		return nil, err
	}
	d := &directory{path: dir}
	var named bool // by CURRENT
	var options, foreign string
	for _, name := range names {
		switch ext := filepath.Ext(name); {
		case name == "CURRENT":
			named = true
		case strings.HasPrefix(name, "marker."):
			foreign = name
		case ext == ".sst":
			d.tables = append(d.tables, name)
		case ext == ".log":
			d.logs = append(d.logs, name)
		case strings.HasPrefix(name, "OPTIONS-") && ext == "" && number(name) >= number(options):
			options = name
		}
	}
	switch {
	case !named && (options == "" || len(d.tables) == 0):
		return nil, fmt.Errorf("%s holds %w of RocksDB (no CURRENT; entries: %d): name a database directory, or make one with 'getio load'",
			dir, engine.ErrNoDatabase, len(names))
	case foreign != "":
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf("%s is not a RocksDB database (it has %s, which Pebble writes): use another engine", dir, foreign)}
	case options == "":
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf("%s is not a RocksDB database (it has no OPTIONS file): use another engine", dir)}
	}
	if err := d.readOptions(options); err != nil {
		return nil, err
	}
	if !named {
		return nil, fmt.Errorf("%s has %d tables but no CURRENT, which names its MANIFEST: the database is damaged, restore it from a copy", dir, len(d.tables))
	}
	current, err := ondisk.Current(dir)
	if err != nil {
		return nil, err
	}
	if err := ondisk.RequireManifest(dir, current); err != nil {
		return nil, err
	}
	// What is wrong with a MANIFEST that cannot be read is for the library to say.
	d.manifest, _ = readManifest(filepath.Join(dir, current))
	return d, nil
}

// readOptions reads the options file, which names the library that wrote the database.
func (d *directory) readOptions(file string) (err error) {
	if d.written, err = ondisk.Options(filepath.Join(d.path, file)); err != nil {
		return err
	}
	if d.written["Version.rocksdb_version"] == "" {
		return &engine.OtherEngineError{Text: fmt.Sprintf("%s is not a RocksDB database (%s names no version of it): use another engine", d.path, file)}
	}
	return nil
}

func number(name string) uint64 {
	_, digits, _ := strings.Cut(name, "-")
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}

// levels is how many levels a reader needs.
func (d *directory) levels() int { return d.manifest.levels }
