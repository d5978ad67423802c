package rocksdb

import (
	"fmt"
	"os"
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
	logs     []string          // the files of the write-ahead log
	logDir   string            // where they are
	tables   []string          // of all column families
	manifest *manifest
	lost     []string // what of the database is not here
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
	var identity bool // only RocksDB writes one
	for _, name := range names {
		switch ext := filepath.Ext(name); {
		case name == "CURRENT":
			named = true
		case name == "IDENTITY":
			identity = true
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
	}
	if named {
		current, err := ondisk.Current(dir)
		if err != nil {
			return nil, err
		}
		if err := ondisk.RequireManifest(dir, current); err != nil {
			return nil, err
		}
		// What is wrong with a MANIFEST that cannot be read is for the library to say.
		d.manifest, _ = readManifest(filepath.Join(dir, current))
		identity = identity || d.manifest.own
	}
	if err := d.readOptions(options, identity); err != nil {
		return nil, err
	}
	if !named {
		return nil, fmt.Errorf("%s has %d tables but no CURRENT, which names its MANIFEST: the database is damaged, restore it from a copy", dir, len(d.tables))
	}
	d.findLog()
	return d, nil
}

// readOptions reads the options file, which names the library that wrote the database. Where it does not, another
// file may identify RocksDB.
func (d *directory) readOptions(file string, identified bool) (err error) {
	what := "it has no OPTIONS file"
	if file != "" {
		if d.written, err = ondisk.Options(filepath.Join(d.path, file)); err != nil {
			return err
		}
		if d.written["Version.rocksdb_version"] != "" {
			return nil
		}
		what = file + " names no version of it"
	}
	if !identified || d.written["Version.pebble_version"] != "" {
		return &engine.OtherEngineError{Text: fmt.Sprintf("%s is not a RocksDB database (%s): use another engine", d.path, what)}
	}
	d.lost = append(d.lost, what+", so it is read with the options of getio's preset: choose others with --option, or let its client open it once")
	return nil
}

// findLog finds the write-ahead log: beside the tables, or where the options file says that the newest one is.
func (d *directory) findLog() {
	d.logDir = d.path
	elsewhere := d.written["DBOptions.wal_dir"]
	if elsewhere == "" {
		return
	}
	entries, err := os.ReadDir(elsewhere)
	var logs []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".log" {
			logs = append(logs, e.Name())
		}
	}
	switch {
	case newest(logs) > newest(d.logs):
		d.logDir, d.logs = elsewhere, logs
	case err != nil && len(d.logs) == 0:
		d.lost = append(d.lost, fmt.Sprintf("the keys in its write-ahead log are not read, which is in %s and cannot be opened here", elsewhere))
	}
}

// newest is the greatest number of log files.
func newest(logs []string) (n uint64) {
	for _, name := range logs {
		n = max(n, number("-"+strings.TrimSuffix(name, ".log")))
	}
	return n
}

func number(name string) uint64 {
	_, digits, _ := strings.Cut(name, "-")
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}

// levels is how many levels a reader needs.
func (d *directory) levels() int { return d.manifest.levels }
