// Package doctor describes a database directory: what it is, who has it open, what this user and this
// machine may do with it, and which commands would work. It opens only a database that nobody has open.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"getio/client/mdbxdata"
	"getio/engine"
	"getio/engine/mdbxfile"
	"getio/measure/database"
	"getio/predict/cachesim"
	"getio/record"
	"getio/statedb/counter"
	"getio/system/device"
	"getio/system/filelock"
	"getio/system/filesystem"
	"getio/system/machine"
	"getio/watch/probe"
	"getio/workload"
	"getio/workload/dataset"
)

// examination is a diagnosis under way, with what only the verdicts on commands depend on.
type examination struct {
	*record.Diagnosis
	files      map[fileID]bool
	table      string // one of the tables; empty without any
	manifest   *dataset.Manifest
	mdbx       bool
	unsound    error // why an MDBX database cannot be read
	simulated  error // why the block cache cannot be simulated; nil if it can
	unmeasured error // why Gets cannot be measured; nil if one was made, or was not tried
	watching   error // why processes cannot be watched; nil if they can
	counting   bool  // reads can be counted from outside
}

// Examine describes the database in dir, which may also be a dataset of getio or a client's data
// directory. It reads file names, the options file and what the kernel says. It opens a database that
// nobody has open, as inspect does, to learn whether it is damaged. It writes nothing.
func Examine(ctx context.Context, engines engine.Registry, dir string) (*record.Diagnosis, error) {
	root, manifest, err := database.Locate(dir)
	if err != nil {
		return nil, err
	}
	files := database.ClientDatabase(engines, dir)
	at, mdbx := mdbxdata.Find(dir)
	switch {
	case manifest != nil:
		files = manifest.DBDir(root)
	case mdbx:
		files = at
	}
	e := &examination{
		Diagnosis: &record.Diagnosis{
			Schema: record.DiagnosisSchema, Path: files,
			Memory: record.MachineMemory{Bytes: machine.Memory(), AvailableBytes: machine.AvailableMemory()},
			Kernel: machine.Kernel(),
		},
		files:    map[fileID]bool{},
		manifest: manifest,
		mdbx:     mdbx,
		watching: probe.Available(),
		counting: counter.Allowed(),
	}
	if err := e.recognise(engines, root); err != nil {
		return nil, err
	}
	if err := e.list(); err != nil {
		return nil, err
	}
	e.Locked = errors.Is(e.checkUnused(), filelock.ErrLocked)
	if e.Locked && e.manifest != nil && !e.manifest.Complete {
		e.Refused = fmt.Sprintf("a process is still loading %s: wait until it ends", root)
	}
	if e.Refused == "" && e.Files.Unreadable == "" && !e.Locked {
		if err := e.open(ctx, engines, dir); err != nil {
			return nil, err
		}
	}
	e.findHolders()
	if err := e.findFileSystem(); err != nil {
		return nil, err
	}
	e.judge()
	return e.Diagnosis, nil
}

// openTime bounds how long tables are read, because the client cannot start while the database is open. All
// engines compare the tables that the MANIFEST lists with the files before they read any table. That takes a
// second or two for 100,000 tables; reading them all can take minutes. A library that replays a long
// write-ahead log when it opens the database is not interrupted.
const openTime = 2 * time.Second

// open opens the database as inspect does, makes a Get as measure does, and closes it. If the database cannot be opened,
// commands refuse it for the same reason.
func (e *examination) open(ctx context.Context, engines engine.Registry, dir string) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(openTime, cancel).Stop()
	d, err := database.Open(limited, engines, dir, database.OpenOptions{})
	switch {
	case err == nil:
		if e.unmeasured = get(limited, d); errors.Is(e.unmeasured, context.Canceled) {
			e.unmeasured = nil
		}
		return cmp.Or(ctx.Err(), d.Close())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, filelock.ErrLocked): // the client has just started
		e.Locked = true
	case !errors.Is(err, context.Canceled):
		e.Refused = err.Error()
	}
	return nil
}

// get draws a key of the database, looks it up and checks its value.
func get(ctx context.Context, d *database.Database) (err error) {
	gets, err := d.Gets(workload.Keys{Seed: 1})
	if err != nil {
		return err
	}
	defer gets.Close()
	if err := gets.Prepare(ctx, 0, 1); err != nil {
		return err
	}
	db, err := d.Store.Open(engine.OpenConfig{MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return err
	}
	defer db.Close()
	key, want := gets.Key(0, nil)
	value, found, err := db.Get(key, nil)
	if err != nil {
		return err
	}
	return gets.Check(0, want, key, found, value)
}

// checkUnused returns filelock.ErrLocked if a process has the database open.
func (e *examination) checkUnused() error {
	if e.mdbx {
		return filelock.CheckUnused(e.Path, mdbxfile.Name, mdbxfile.LockName)
	}
	return filelock.CheckUnlocked(e.Path)
}

// recognise finds the engine that reads the database. It is an error if there is no database.
func (e *examination) recognise(engines engine.Registry, root string) error {
	if e.mdbx {
		e.Refused = mdbxdata.Describe(e.Path) + ": inspect, measure and sweep read it"
		if _, e.unsound = mdbxfile.Read(e.Path); e.unsound != nil {
			e.Refused = e.unsound.Error()
		}
		return nil
	}
	reader, found, err := engines.Recognise(e.Path)
	if e.manifest != nil {
		e.Dataset = e.manifest.Kind()
	}
	if errors.Is(err, engine.ErrNoDatabase) {
		return err
	}
	if err != nil {
		e.Refused = err.Error()
		return nil
	}
	e.Engine = &record.Engine{Name: reader.Name(), Version: reader.Version()}
	if l, ok := reader.(engine.Linked); ok {
		e.Library = l.Linked()
	}
	e.Format = found.Format
	if e.manifest != nil {
		if err := database.RequireComplete(root, e.manifest); err != nil {
			e.Refused = err.Error()
		}
	}
	config, err := reader.Configure("", found.Options)
	if err == nil {
		_, err = cachesim.LibraryOf(reader.Name(), config.Effective())
	}
	e.simulated = err
	return nil
}

func (e *examination) findFileSystem() error {
	fs, err := filesystem.Of(e.Path)
	if err != nil {
		return err
	}
	e.FileSystem = record.FileSystem{Type: fs.Type, FreeBytes: fs.FreeBytes, ReadOnly: fs.ReadOnly}
	if e.table != "" && e.Files.Unreadable == "" {
		if err := device.RequireBypass(e.table); err != nil {
			e.FileSystem.NoBypass = err.Error()
		}
	}
	return nil
}
