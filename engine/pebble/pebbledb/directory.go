package pebbledb

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"getio/engine"
	"getio/engine/ondisk"
)

// What the libraries read databases with.
const (
	Comparer = "leveldb.BytewiseComparator"
	merger   = "pebble.concatenate"
)

// FormatMostCompatible is the oldest format major version. A database in it
// has a CURRENT file and no format marker.
const FormatMostCompatible = 1

// Directory describes a Pebble database as its file names do.
type Directory struct {
	Path     string
	Format   int    // format major version
	Manifest string // file name of the current MANIFEST
	Options  string // file name of the newest OPTIONS file
	WALs     []string
	Tables   int
	// Logs are the directories in which the OPTIONS file places the write-ahead log, if that is not Path.
	Logs Logs
}

// Logs are directories of write-ahead logs, each "" if there is none.
type Logs struct{ Primary, Secondary string }

// missing returns those that are not there.
func (l Logs) missing() (dirs []string) {
	for _, dir := range []string{l.Primary, l.Secondary} {
		if _, err := os.Stat(dir); dir != "" && err != nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Present returns those that are there.
func (l Logs) Present() Logs {
	for _, dir := range []*string{&l.Primary, &l.Secondary} {
		if _, err := os.Stat(*dir); err != nil {
			*dir = ""
		}
	}
	return l
}

// ReadDirectory recognises a Pebble database by its files. It opens only CURRENT and the
// OPTIONS file. Errors explain what dir is instead. They wrap engine.ErrNoDatabase if it
// holds no database at all.
func ReadDirectory(dir string) (*Directory, error) {
	names, err := ondisk.Names(dir)
	if err != nil {
		return nil, err
	}
	d := &Directory{Path: dir}
	var current, leveldb bool
	var formatMarker, formatVersion string
	var formatIter, manifestIter uint64
	for _, name := range names {
		switch ext := filepath.Ext(name); {
		case name == "CURRENT":
			current = true
		case ext == ".sst":
			d.Tables++
		case ext == ".ldb":
			leveldb = true
		case ext == ".blob":
			return nil, fmt.Errorf("%s keeps values in blob files (%s), whose reads getio does not count: name a database without them", dir, name)
		case ext == ".log":
			d.WALs = append(d.WALs, name)
		case strings.HasPrefix(name, "OPTIONS-") && ext == "":
			if fileNumber(name) >= fileNumber(d.Options) {
				d.Options = name
			}
		}
		if value, iter, ok := marker(name, "format-version"); ok && iter >= formatIter {
			formatIter, formatMarker, formatVersion = iter, name, value
		}
		if value, iter, ok := marker(name, "manifest"); ok && iter >= manifestIter {
			manifestIter, d.Manifest = iter, value
		}
	}
	if d.Manifest == "" && current {
		if d.Manifest, err = ondisk.Current(dir); err != nil {
			return nil, err
		}
	}
	d.Format = FormatMostCompatible
	if formatMarker != "" {
		if d.Format, err = strconv.Atoi(formatVersion); err != nil || d.Format < FormatMostCompatible {
			return nil, fmt.Errorf("%s: the format marker %s holds no format number: the database is damaged, restore it from a copy", dir, formatMarker)
		}
	}
	return d, d.verify(names, leveldb)
}

// verify returns an error unless the directory holds a complete Pebble database.
func (d *Directory) verify(names []string, leveldb bool) error {
	switch {
	case leveldb:
		return &engine.OtherEngineError{Text: d.Path + " is a LevelDB database (it has .ldb tables): use --engine goleveldb"}
	case d.Manifest == "" && d.Tables == 0:
		return fmt.Errorf("%s holds %w (no MANIFEST, no tables; entries: %d): name a database directory, or make one with 'getio load'",
			d.Path, engine.ErrNoDatabase, len(names))
	case d.Manifest == "":
		return fmt.Errorf("%s has %d tables but nothing that names its MANIFEST: the database is damaged, restore it from a copy", d.Path, d.Tables)
	}
	if err := ondisk.RequireManifest(d.Path, d.Manifest); err != nil {
		return err
	}
	return d.verifyOptions(names)
}

// verifyOptions checks the OPTIONS file to tell Pebble from RocksDB. LevelDB writes none.
func (d *Directory) verifyOptions(names []string) error {
	switch {
	case d.Options == "" && slices.Contains(names, "LOG"):
		return &engine.OtherEngineError{Text: d.Path + " is a LevelDB database (it has no OPTIONS file, but LevelDB's LOG): use --engine goleveldb"}
	case d.Options == "":
		return fmt.Errorf("%s has no OPTIONS file: if it is a Pebble database it is damaged, restore it from a copy", d.Path)
	}
	written, err := d.WrittenOptions()
	if err != nil {
		return err
	}
	if _, ok := written["Version.pebble_version"]; ok {
		d.Logs = Logs{d.logs(written["Options.wal_dir"]), d.logs(written["WAL Failover.secondary_dir"])}
		return d.requireSupported(names, written)
	}
	if _, ok := written["Version.rocksdb_version"]; ok {
		return &engine.OtherEngineError{Text: fmt.Sprintf("%s is a RocksDB database (%s says so): use --engine rocksdb", d.Path, d.Options)}
	}
	return fmt.Errorf("%s is not a Pebble database (%s names no Pebble version): name a Pebble database", d.Path, d.Options)
}

// logs returns the directory that an option names; "" if that is the database's own. It may begin with a mark of that
// (Pebble: options.go, resolveStorePath).
func (d *Directory) logs(option string) string {
	if rest, ok := strings.CutPrefix(option, "{store_path}"); ok {
		option = d.Path + rest
	}
	if option == "" || filepath.Clean(option) == filepath.Clean(d.Path) {
		return ""
	}
	return option
}

// requireSupported returns an error for a database that the libraries here cannot read, though it is not damaged.
func (d *Directory) requireSupported(names []string, written map[string]string) error {
	for _, o := range []struct{ option, what, own string }{
		{"Options.comparer", "orders its keys by the comparer", Comparer},
		{"Options.merger", "merges values by the merger", merger},
	} {
		if name, ok := written[o.option]; ok && name != o.own {
			return fmt.Errorf("%s %s %s, which getio does not have: it reads databases of %s", d.Path, o.what, name, o.own)
		}
	}
	for _, name := range names {
		if value, _, ok := marker(name, "remote-obj-catalog"); ok {
			return fmt.Errorf("%s keeps tables in remote storage (%s lists them), whose reads getio does not count: name a database with all its tables in its directory", d.Path, value)
		}
	}
	return nil
}

// WrittenOptions reads the newest OPTIONS file.
func (d *Directory) WrittenOptions() (map[string]string, error) {
	return ondisk.Options(filepath.Join(d.Path, d.Options))
}

// marker parses the name of an atomic marker file, marker.NAME.ITER.VALUE
// (Pebble: vfs/atomicfs/marker.go). The marker with the highest ITER is valid.
func marker(file, name string) (value string, iter uint64, ok bool) {
	rest, ok := strings.CutPrefix(file, "marker."+name+".")
	if !ok {
		return "", 0, false
	}
	number, value, ok := strings.Cut(rest, ".")
	if !ok {
		return "", 0, false
	}
	iter, err := strconv.ParseUint(number, 10, 64)
	return value, iter, err == nil
}

func fileNumber(name string) uint64 {
	_, digits, _ := strings.Cut(name, "-")
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}

// Info describes the database, as far as its file names and OPTIONS file do.
func (d *Directory) Info(name, version string) (engine.Info, error) {
	written, err := d.WrittenOptions()
	if err != nil {
		return engine.Info{}, err
	}
	walBytes, err := ondisk.Bytes(d.Path, d.WALs)
	if err != nil {
		return engine.Info{}, err
	}
	logs := d.Logs.Present()
	for _, dir := range []string{logs.Primary, logs.Secondary} {
		if dir == "" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, "*.log"))
		if err != nil {
			return engine.Info{}, err
		}
		bytes, err := ondisk.Bytes("", paths)
		if err != nil {
			return engine.Info{}, err
		}
		walBytes += bytes
	}
	return engine.Info{
		Dir:         d.Path,
		Engine:      name,
		Version:     version,
		Format:      d.Format,
		Comparer:    written["Options.comparer"],
		Merger:      written["Options.merger"],
		WALBytes:    walBytes,
		OptionsFile: written,
		MissingLogs: d.Logs.missing(),
		Unlike:      unlikeClient(written),
	}, nil
}
