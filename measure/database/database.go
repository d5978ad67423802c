// Package database recognises whether a directory holds a dataset of getio or another database,
// opens it for measuring, and decides whether a kept result is still one of that database.
package database

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/virtual"
	"getio/measure/keysource"
	"getio/measure/livecopy"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

// Database is a directory opened for measuring.
type Database struct {
	Dir      string            // as given, or the client's database in it
	Named    string            // the directory as given
	Manifest *dataset.Manifest // nil if getio did not write it
	Engine   engine.Engine
	Config   engine.Config
	Store    engine.Store

	client *Client        // nil before Client is called
	copied *livecopy.Copy // read by Store; nil if Store reads Dir
	newest time.Time      // of the table files; zero before newestTable is called
	// otherLevels: when the dataset was opened, its tree had other levels than the manifest listed.
	otherLevels bool
}

// OpenOptions holds the user's choices. Empty fields are taken from the dataset's manifest or
// from the recognised database.
type OpenOptions struct {
	Engine  string
	Preset  string
	Options []string // NAME=VALUE
	// Live opens a copy of a database that another process has open.
	Live bool
}

// Open opens the dataset or database in dir read-only. dir may also be a client's data directory.
func Open(ctx context.Context, engines engine.Registry, dir string, opts OpenOptions) (*Database, error) {
	root, m, err := Locate(dir)
	if err != nil {
		return nil, err
	}
	d := &Database{Named: dir, Manifest: m}
	if m == nil {
		dir = ClientDatabase(engines, dir)
	}
	d.Dir = dir
	if opts.Live {
		return d, d.openLive(ctx, engines, opts)
	}
	files := dir
	if m != nil {
		if err := RequireComplete(root, m); err != nil {
			return nil, err
		}
		files = m.DBDir(root)
	}
	if err := d.choose(engines, files, opts); err != nil {
		return nil, err
	}
	if m != nil && m.Build == dataset.BuildVirtual && !virtual.IsVirtual(files) {
		return nil, fmt.Errorf("%s is virtual but lacks %s, without which its data blocks cannot be made: load it again", dir, virtual.MarkerName)
	}
	if d.Store, err = d.openStore(ctx, files); err != nil {
		return nil, err
	}
	if m != nil {
		if err := engine.CheckContents(files, m, d.Store); err != nil {
			d.Store.Close()
			return nil, err
		}
		d.otherLevels = m.Levels != nil && !slices.Equal(m.Levels, engine.LevelsOf(d.Store.Shape()))
	}
	return d, nil
}

// liveTries limits the copies taken. A copy may lack a table that was deleted meanwhile.
const liveTries = 3

// openLive opens a copy of the database.
func (d *Database) openLive(ctx context.Context, engines engine.Registry, opts OpenOptions) (err error) {
	if d.Manifest != nil {
		return fmt.Errorf("%s is a dataset of getio, which no client has open: omit --live", d.Dir)
	}
	if err := d.choose(engines, d.Dir, opts); err != nil {
		return err
	}
	for range liveTries {
		if d.copied, err = livecopy.Take(ctx, d.Dir); err != nil {
			return err
		}
		if d.Store, err = d.openStore(ctx, d.copied.Dir); err == nil {
			return nil
		}
		d.copied.Close()
	}
	return err
}

// choose sets engine and configuration.
func (d *Database) choose(engines engine.Registry, files string, opts OpenOptions) (err error) {
	m := d.Manifest
	name, preset := opts.Engine, opts.Preset
	var options []string // of the database
	if name != "" {
		chosen, err := engines.ByName(name)
		if err != nil {
			return err
		}
		name = chosen.Name()
	}
	if m != nil {
		if name == "" {
			name = m.Engine
		}
		if name == m.Engine && preset == "" {
			preset = m.Preset
			options = m.Overrides()
		} else if size, ok := m.Options[optionMemTable]; ok {
			options = []string{optionMemTable + "=" + size}
		}
	}
	var found engine.Recognised
	if name == "" {
		d.Engine, found, err = engines.Recognise(files, opts.Options...)
	} else if d.Engine, err = engines.ByName(name); err == nil {
		found, err = d.Engine.Recognise(files, opts.Options...)
	}
	if errors.Is(err, engine.ErrNoDatabase) && chaindata.IsFreezer(files) {
		return fmt.Errorf("%s is a freezer of geth, which holds %w: name the directory of the key-value store, usually %s", files, engine.ErrNoDatabase, filepath.Dir(filepath.Clean(files)))
	}
	if err != nil {
		return err
	}
	if m == nil && preset == "" {
		options = found.Options
	}
	d.Config, err = d.Engine.Configure(preset, append(openFiles(m), options...))
	if err != nil {
		return err
	}
	return d.override(opts.Options)
}

// override sets read options. It returns an error for write options and unknown names.
func (d *Database) override(options []string) (err error) {
	known := d.Config.ReadOptions()
	for _, o := range options {
		if name, _, _ := strings.Cut(o, "="); !slices.Contains(known, name) {
			return fmt.Errorf("option %q does not affect reading an existing database: use %s (others are set when one is loaded)", name, strings.Join(known, " or "))
		}
		if d.Config, err = d.Config.With(o); err != nil {
			return err
		}
	}
	return nil
}

// openFiles lets a virtual database keep all tables open, since they take no open files.
func openFiles(m *dataset.Manifest) []string {
	if m == nil || m.Build != dataset.BuildVirtual {
		return nil
	}
	return []string{fmt.Sprintf("%s=%d", dataset.OptionOpenFiles, len(m.Tree().Tables)+otherFiles)}
}

// otherFiles is at least the number of open files that libraries reserve for files other than
// tables, and at least the minimum that they accept.
const otherFiles = 128

// optionMemTable is an option of several engines.
const optionMemTable = "memtable_size"

// Close closes the store and removes the copy that it reads, if any.
func (d *Database) Close() error {
	err := d.Store.Close()
	if d.copied != nil {
		err = errors.Join(err, d.copied.Close())
	}
	return err
}

// CloseAll closes databases that were only read.
func CloseAll(databases []*Database) {
	for _, d := range databases {
		d.Close()
	}
}

// SameReads reports whether Gets of both databases read the same files with the same options.
func (d *Database) SameReads(other *Database) bool {
	return same(d.Store.Info().Dir, other.Store.Info().Dir) && d.Engine.Name() == other.Engine.Name() &&
		maps.Equal(d.Config.Effective(), other.Config.Effective())
}

// Live reports whether another process may have the database open: a copy of it is read.
func (d *Database) Live() bool { return d.copied != nil }

// Kind returns the kind of dataset, as in records.
func (d *Database) Kind() string {
	if d.Manifest == nil {
		return "existing"
	}
	return d.Manifest.Kind()
}

// Info returns the store's information, and whether a dataset's levels have changed. For a live copy, Dir is the
// directory of the original. NewerTables and ManifestTorn are cleared then, since the client writes while the copy is made.
func (d *Database) Info() engine.Info {
	info := d.Store.Info()
	info.OtherLevels = d.otherLevels
	if d.copied != nil {
		info.Dir, info.NewerTables, info.ManifestTorn = d.Dir, 0, false
	}
	return info
}

// Keys returns the number of keys written or, for a database that getio did not write, the
// number of records in its tables; 0 if the tables do not record it.
func (d *Database) Keys() int64 {
	if d.Manifest == nil {
		return d.Store.Shape().Total().Records
	}
	return int64(d.Manifest.Keys)
}

// Gets returns Gets of this database's keys, or of those in the keys file. Those of a trace need no database.
func (d *Database) Gets(from workload.Keys) (keysource.Sequence, error) {
	switch {
	case from.Trace != "":
		return nil, fmt.Errorf("the Gets are those of %s: repeat it, which needs no keys of %s", from.Trace, d.Dir)
	case from.KeysFile != "":
		return keysource.FromFile(d.Store, from)
	case d.Manifest == nil:
		return keysource.Sampled(d.Store, from)
	}
	keys, err := d.Manifest.NewKeyspace()
	if err != nil {
		return nil, err
	}
	values, err := d.Manifest.NewValues()
	if err != nil {
		return nil, err
	}
	return keysource.Written(keys, values, from), nil
}

// Description returns what sets the fields of a result that describe the database and the keys. It may be called after
// the database was closed, and counts the updates made by then.
func (d *Database) Description(from workload.Keys) func(*record.Result) {
	engine, warnings := d.EngineRecord(), d.Info().Warnings()
	return func(r *record.Result) {
		r.Engine, r.Warnings = engine, append(r.Warnings, warnings...)
		d.describe(r, from)
	}
}

// describe sets the fields that do not follow from the tables.
func (d *Database) describe(r *record.Result, from workload.Keys) {
	d.describeDataset(&r.Dataset, from)
	r.Workload.SetKeys(from)
	m := d.Manifest
	if m == nil {
		r.Cache.GethCacheMiB = d.GethCacheMiB(r.Cache.Bytes, r.Cache.ReservedBytes)
		return
	}
	for _, u := range m.Updates {
		r.Workload.Updates += int64(u.Writes)
		if !u.Finished {
			r.Warnings = append(r.Warnings, "a round of updates did not finish: fewer keys than stated were overwritten, and the tree may not have settled")
		}
	}
}

// describeDataset sets the fields that do not follow from the tables and the log.
func (d *Database) describeDataset(r *record.Dataset, from workload.Keys) {
	r.Path, r.Kind, r.Live, r.Keyspace = d.Dir, d.Kind(), d.copied != nil, d.keyspace(from)
	if m := d.Manifest; m != nil {
		r.Keys, r.Values, r.Seed = m.Keys, m.Values, m.Seed
	}
}

// keyspace returns the name, in records, of the source of the keys.
func (d *Database) keyspace(from workload.Keys) string {
	switch {
	case from.Trace != "":
		return workload.KindTrace
	case from.KeysFile != "":
		return keysource.KindKeysFile
	case d.Manifest == nil:
		return keysource.KindSampled
	}
	return d.Manifest.Keyspace
}

// EngineRecord returns the library that reads the database, and the options with which it was
// written, from its manifest or its options file. Read options are those of this open.
func (d *Database) EngineRecord() record.Engine {
	info := d.Store.Info()
	e := record.Engine{Name: info.Engine, Version: info.Version, Preset: "existing", Options: map[string]string{}}
	if d.Manifest != nil {
		e.Preset = d.Manifest.Preset
		maps.Copy(e.Options, d.Manifest.Options)
	} else {
		e.ReadAs = info.ReadAs
		for name, value := range info.OptionsFile {
			if strings.HasPrefix(name, "Options.") || strings.HasPrefix(name, "Level ") {
				e.Options["written: "+name] = value
			}
		}
	}
	effective := d.Config.Effective()
	for _, name := range d.Config.ReadOptions() {
		e.Options[name] = effective[name]
	}
	return e
}
