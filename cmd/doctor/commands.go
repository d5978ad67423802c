package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"getio/client/chaindata"
	"getio/measure/livecopy"
	"getio/record"
	"getio/statedb/counter"
	"getio/system/filesystem"
)

// judge says which commands would work.
func (e *examination) judge() {
	switch unread := e.unread(); {
	case e.mdbx && e.Files.Unreadable == "" && e.unsound == nil:
		e.Commands = append(e.Commands, feasible("inspect", nil), feasible("measure, sweep", e.mappable()))
	case unread != nil:
		e.add("inspect, measure, sweep", unread, nil)
	default:
		e.judgeReading()
	}
	e.Commands = append(e.Commands, e.watch(), e.count())
}

// judgeReading says which commands that open the database would work.
func (e *examination) judgeReading() {
	copied := e.copyable()
	e.add("inspect", nil, copied)
	_, err := os.Stat(filepath.Join(e.Path, chaindata.AncientDir))
	ancient := err == nil && e.manifest == nil
	if ancient {
		e.add("inspect --categories", nil, copied)
	}
	if e.unmeasured != nil {
		e.add("measure, sweep, curve, advise", e.unmeasured, nil)
		return
	}
	e.add("measure", nil, copied)
	if e.Files.Tables == 0 {
		e.add("sweep, curve, advise", errNoTable, nil)
		return
	}
	if ancient {
		e.add("chain measure", nil, copied)
	}
	e.add("measure --page-cache bypass", e.bypass(), copied)
	e.add("sweep", nil, errInUse)
	e.add("curve", e.simulated, errInUse)
	e.add("advise", e.simulated, copied)
}

// errNoTable is why Gets of a database without tables are not measured.
var errNoTable = errors.New("the database has no table, so its Gets read nothing: let its client write more")

// errInUse is why a command that has no --live does not work on a database that is in use.
var errInUse = errors.New("the database is in use, and this command has no --live: stop the process, or work on a copy")

// add adds a command. problem keeps it from working at all; inUse, if the database is in use, where
// nil means that it works with --live.
func (e *examination) add(command string, problem, inUse error) {
	if problem == nil && e.Locked {
		if problem = inUse; problem == nil {
			command += " --live"
		}
	}
	e.Commands = append(e.Commands, feasible(command, problem))
}

func feasible(command string, problem error) record.Feasible {
	if problem != nil {
		return record.Feasible{Command: command, Why: problem.Error()}
	}
	return record.Feasible{Command: command, Works: true}
}

// unread returns why no command can read the database, nil if they can.
func (e *examination) unread() error {
	switch {
	case e.Refused != "":
		return errors.New(e.Refused)
	case e.Files.Unreadable != "":
		return fmt.Errorf("this user may not read %s: run getio as one who may, or work on a copy", e.Files.Unreadable)
	}
	return nil
}

// mappable returns why lookups in an MDBX database cannot be measured.
func (e *examination) mappable() error {
	switch {
	case !e.counting:
		return counter.ErrRoot
	case e.Locked:
		return errors.New("the database is in use, so its pages are in the page cache: stop the process, or work on a copy")
	}
	return nil
}

// copyable returns why --live cannot copy the database beside itself.
func (e *examination) copyable() error {
	if err := livecopy.Supported(e.Path); err != nil {
		return err
	}
	if e.manifest != nil {
		return errors.New("another process is writing this dataset of getio: wait until it ends")
	}
	real, err := filesystem.Real(e.Path)
	if err != nil {
		return err
	}
	if above := filepath.Dir(real); unix.Access(above, unix.W_OK) != nil {
		return fmt.Errorf("the database is in use, and --live needs a copy in %s, which this user may not write to: run getio as the user of the client, or as root", above)
	}
	return nil
}

// bypass returns why reads cannot go past the page cache.
func (e *examination) bypass() error {
	if e.FileSystem.NoBypass == "" {
		return nil
	}
	return errors.New(e.FileSystem.NoBypass)
}

// watch judges the watching of the process that has the database open.
func (e *examination) watch() record.Feasible {
	const command = "watch"
	switch {
	case e.watching != nil:
		return feasible(command, e.watching)
	case e.Engine == nil || e.Engine.Name == "rocksdb":
		return feasible(command, errors.New("only Go programs with Pebble or goleveldb can be watched"))
	case len(e.OpenBy) == 0:
		return feasible(command, errors.New("this user can see no process that has the database open: start the client"))
	}
	return feasible(fmt.Sprintf("%s %d", command, e.OpenBy[0].PID), nil)
}

// count judges the counting of a program's reads of a copy.
func (e *examination) count() record.Feasible {
	const command = "count --copy"
	if !e.counting {
		return feasible(command, counter.ErrRoot)
	}
	if e.Locked {
		return feasible(command, errors.New("the database is in use, and a copy of it would be inconsistent: stop the process"))
	}
	need := counter.DiskFor(counter.Size{Bytes: e.Files.Bytes, Files: int64(e.Files.Count)})
	if disk, err := filesystem.Of(os.TempDir()); err == nil && disk.FreeBytes < need {
		return feasible(command, fmt.Errorf("the copy needs %s, and %s are free in %s: name another directory with --disk",
			humanize.IBytes(uint64(need)), humanize.IBytes(uint64(disk.FreeBytes)), os.TempDir()))
	}
	return feasible(command, nil)
}
