package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"getio/measure/database"
	"getio/record"
)

// readRecords reads the records that a sweep is to add to.
func readRecords(path string) ([]*record.Result, error) {
	if err := requireAppendable(path); err != nil {
		return nil, err
	}
	return record.ReadResults(path)
}

// requireAppendable refuses a file that records cannot be added to now, and not when
// the first of them is there.
func requireAppendable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := unix.Access(filepath.Dir(path), unix.W_OK); err != nil {
			return fmt.Errorf("records cannot be written to %s (%w): name another file with --out", path, err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("records cannot be written to %s (%w): name another file with --out", path, err)
	case !fi.Mode().IsRegular():
		return fmt.Errorf("%s is no file that records can be added to: name another one with --out", path)
	}
	if err := unix.Access(path, unix.W_OK); err != nil {
		return fmt.Errorf("records cannot be added to %s (%w): name another file with --out", path, err)
	}
	return requireRecords(path)
}

// requireRecords refuses a file whose last line has no end and is not the
// beginning of a record: adding a record removes such a line, as one that an
// interruption cut short.
func requireRecords(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read (%w): name another file with --out", path, err)
	}
	last := data[bytes.LastIndexByte(data, '\n')+1:]
	begin := []byte(`{"schema":"`)
	if n := min(len(last), len(begin)); !bytes.Equal(last[:n], begin[:n]) {
		return fmt.Errorf("%s is no file of records (its last line is none, and has no end): name another one with --out", path)
	}
	return nil
}

// requireOutside refuses to write a file among the files of a database.
func requireOutside(path string, d *database.Database, flag string) error {
	files, err := os.Stat(d.Store.Info().Dir)
	if err != nil {
		return err
	}
	at, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	for ; ; at = filepath.Dir(at) {
		if fi, err := os.Stat(at); err == nil && os.SameFile(fi, files) {
			return fmt.Errorf("%s lies in the database %s, which getio does not change: name a file elsewhere with %s", path, d.Dir, flag)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
