package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"getio/system/atomicfile"
)

// Journal keeps the records of finished runs in a JSON Lines file, so that a command that is
// interrupted can be run again to resume. It is not safe for concurrent use.
type Journal struct {
	// Path is the file. Empty keeps nothing.
	Path string
	// Runs is the name of what a record is kept of, in the plural: cache sizes, runs, stores.
	Runs string
	// Total is how many runs there are.
	Total int

	finished int
	reused   int // of the finished ones, those whose records the file had
}

// Check refuses a file to which records cannot be added, before the first run is made.
func (j *Journal) Check() error {
	if j.Path == "" {
		return nil
	}
	fi, err := os.Stat(j.Path)
	place, link := atomicfile.Follow(j.Path)
	if link != nil {
		return j.unusable(link)
	}
	defer place.Close()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = unix.Access(filepath.Dir(j.Path), unix.W_OK)
	case err == nil && !fi.Mode().IsRegular():
		err = errors.New("not a regular file")
	case err == nil:
		if err = unix.Access(j.Path, unix.W_OK); err == nil {
			err = checkLastLine(j.Path)
		}
	}
	if err != nil {
		return j.unusable(err)
	}
	return nil
}

func (j *Journal) unusable(err error) error {
	return fmt.Errorf("cannot add records to %s (%w): choose another file with --out", j.Path, err)
}

// checkLastLine refuses a file whose last line has no end and does not begin like a record:
// Append removes an unfinished last line, which must be its own.
func checkLastLine(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := endOfLines(f)
	if err != nil {
		return err
	}
	const begin = `{"schema":"`
	last := make([]byte, len(begin))
	n, err := f.ReadAt(last, end)
	if err != nil && err != io.EOF {
		return err
	}
	if string(last[:n]) != begin[:n] {
		return errors.New("its last line has no end and is not a record")
	}
	return nil
}

// Results returns the measurements of Gets in the file, from which a command resumes.
func (j *Journal) Results() ([]*Result, error) { return resumed[Result](j, ResultSchema) }

// Chains returns the measurements of a client's operations in the file.
func (j *Journal) Chains() ([]*Chain, error) { return resumed[Chain](j, ChainSchema) }

// States returns the lookups in state databases in the file.
func (j *Journal) States() ([]*State, error) {
	return resumed[State](j, stateSchemas...)
}

func resumed[R any](j *Journal, schemas ...string) ([]*R, error) {
	if err := j.Check(); err != nil || j.Path == "" {
		return nil, err
	}
	return readKind[R](j.Path, schemas...)
}

// Finish counts a run as finished. It adds the record to the file if the run was made just
// now, rather than read from the file.
func (j *Journal) Finish(r any, measured bool) error {
	if measured && j.Path != "" {
		if err := j.wordAdd(Append(j.Path, r)); err != nil {
			return err
		}
	}
	j.finished++
	if !measured {
		j.reused++
	}
	return nil
}

// Finished returns how many runs are finished.
func (j *Journal) Finished() int { return j.finished }

// Reused states how many runs are taken from the file. It is empty if all runs were made.
func (j *Journal) Reused() string {
	if j.reused == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d %s are taken from %s, measured before", j.reused, j.Total, j.Runs, j.Path)
}

// AddMissing adds a record that follows from runs, unless the file has the same line.
func (j *Journal) AddMissing(r any) error {
	if j.Path == "" {
		return nil
	}
	line, err := Line(r)
	if err != nil {
		return err
	}
	f, err := openLocked(j.Path)
	if err != nil {
		return j.unusable(err)
	}
	defer f.Close()
	there, err := readAll(f)
	if err != nil {
		return j.unusable(err)
	}
	if bytes.HasPrefix(there, line) || bytes.Contains(there, append([]byte("\n"), line...)) {
		return nil
	}
	return j.wordAdd(appendLine(f, r))
}

func (j *Journal) wordAdd(err error) error {
	if err != nil {
		return fmt.Errorf("cannot add a record to %s (%w): free some space, or choose another file with --out", j.Path, err)
	}
	return nil
}

// Unfinished adds to an error what is kept of the runs that it ended.
func (j *Journal) Unfinished(err error) error {
	interrupted := errors.Is(err, context.Canceled)
	u := &Unfinished{err: err}
	switch {
	case j.finished == 0 && !interrupted:
		return err
	case j.finished == 0:
		u.kept = fmt.Sprintf("none of %d %s was finished", j.Total, j.Runs)
	case j.Path == "":
		u.kept = fmt.Sprintf("%d of %d %s were finished and none is kept: add --out FILE to be able to resume", j.finished, j.Total, j.Runs)
	default:
		u.kept = fmt.Sprintf("%d of %d %s are kept in %s: run the same command again to resume", j.finished, j.Total, j.Runs, j.Path)
	}
	return u
}

// Unfinished is the error of a command that ended before its last run, and says what is kept.
type Unfinished struct {
	err  error
	kept string
}

func (u *Unfinished) Error() string {
	if errors.Is(u.err, context.Canceled) {
		return "interrupted: " + u.kept
	}
	return fmt.Sprintf("%v (%s)", u.err, u.kept)
}

// Unwrap returns the error that ended the runs; context.Canceled after an interruption.
func (u *Unfinished) Unwrap() error { return u.err }
