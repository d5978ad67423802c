package main

import (
	"fmt"
	"os"
	"path/filepath"

	"getio/measure/database"
)

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
