package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"getio/measure/livecopy"
	"getio/record"
	"getio/system/tempdir"
	"getio/watch/probe"
	"getio/workload/dataset"
	"getio/workload/trace"
)

// Running returns the process that a number or a name means; 0 if it is the path of a file, which it
// is if there is such a file or the name has several parts.
func Running(name string) (pid int, err error) {
	if _, err := os.Lstat(name); err == nil || strings.ContainsRune(name, filepath.Separator) {
		return 0, nil
	}
	pid, err = Find(name)
	if errors.Is(err, probe.ErrNotLinux) {
		return 0, fmt.Errorf("%s is not a directory, and %w", name, err)
	}
	if errors.Is(err, errNoProcess) {
		return 0, fmt.Errorf("%s is neither a directory nor a running process: name a database directory, or start the program first", name)
	}
	return pid, err
}

// Advisable selects the database of a process to record for advice.
type Advisable struct {
	Database string // as in [Recording]
	Cached   bool   // the size of its cache is known, which a database of LevelDB does not say
}

// Recorded has the Gets that a process made on a database, and their cost.
type Recorded struct {
	Trace *trace.File
	Dir   string // of the database, as found from here
	// IOsPerGet is that of the Gets behind the trace's warm-up.
	IOsPerGet float64

	temp *tempdir.Dir
}

// temporary begins the names of directories for traces.
const temporary = "getio-watch-"

// Record watches a process and records the Gets of a database in a temporary file, which Close removes.
func Record(ctx context.Context, pid int, r Run, of Advisable) (_ *Recorded, err error) {
	if _, err := tempdir.RemoveAbandoned(os.TempDir(), temporary); err != nil {
		return nil, err
	}
	temp, err := tempdir.New(os.TempDir(), temporary)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			temp.Remove()
		}
	}()
	path := filepath.Join(temp.Path, "trace")
	w, err := Open(ctx, pid, Options{Record: &Recording{Path: path, Keys: trace.Whole, Sample: 1, Database: of.Database}})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	d := w.recorder.database
	if err := d.advisable(of.Cached); err != nil {
		return nil, err
	}
	// The Gets will be made on a copy: whether there can be one is known now.
	copied, err := livecopy.Take(ctx, d.here)
	if err != nil {
		return nil, err
	}
	if err := copied.Close(); err != nil {
		return nil, err
	}
	w.changed = append(w.changed, os.TempDir(), d.here, d.here+"/..") // ".." of what a link leads to
	seen, err := w.Run(ctx, r)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if err := usable(seen); err != nil {
		return nil, err
	}
	// The path of a process with another root ends with it, and may then lead to another database.
	if there, err := folder(d.here); err != nil || there != d.folder {
		return nil, fmt.Errorf("%s cannot be reached any more, because the process ended or replaced it: start it again, and watch that", d.path)
	}
	f, err := trace.Check(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return &Recorded{Trace: f, Dir: d.here, IOsPerGet: seen.Trace.Measured.Mean, temp: temp}, nil
}

// advisable returns an error if nothing can be advised on a database, however long it is watched.
func (d *database) advisable(cached bool) error {
	if family := d.likely[0].family; family != "Pebble" && !cached {
		return fmt.Errorf("%s is a database of %s, which does not say how large its cache is: give the size with --cache", d.path, family)
	}
	if d.tables.none() {
		return fmt.Errorf("%s has no tables yet and serves all Gets from memory: try again when it has written some", d.path)
	}
	root := filepath.Dir(d.here)
	if m, err := dataset.Read(root); err == nil && m.DBDir(root) == d.here {
		return fmt.Errorf("%s is a dataset of getio, which only getio opens: wait until the process ends, and advise on %s", root, root)
	}
	return nil
}

// usable returns an error if nothing can be computed from what was seen.
func usable(seen *record.Watch) error {
	switch {
	case seen.AllChecks().Err() != nil:
		return seen.AllChecks().Err()
	case seen.Trace == nil || seen.Trace.Measured == nil:
		return errors.New("the process made too few Gets to advise on: watch it longer with --for, or while it has work")
	case !seen.Complete || !seen.Trace.Complete():
		return errors.New("too many Gets or reads were lost to advise on: record a sample with 'getio watch --record', and advise on that")
	}
	return nil
}

// Close removes the trace.
func (r *Recorded) Close() error { return r.temp.Remove() }
