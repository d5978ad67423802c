package database

import (
	"fmt"

	"getio/system/filesystem"
)

// RequireOutside returns an error if path, which a flag names, lies in the database's directory.
// An empty path is accepted.
func (d *Database) RequireOutside(path, flag string) error {
	return RequireOutside(d.Dir, d.Store.Info().Dir, path, flag)
}

// RequireOutside does the same for the database that is named dir and whose files lie in in.
func RequireOutside(dir, in, path, flag string) error {
	if path == "" {
		return nil
	}
	inside, err := filesystem.Contains(in, path)
	if inside {
		return fmt.Errorf("%s lies in the database %s, which getio does not change: choose a file elsewhere with %s", path, dir, flag)
	}
	return err
}

// RequireUnconsultedFilters returns an error if Gets consult all filters of the database already.
// The setting, which makes lookups consult all of them, would then have no effect.
func (d *Database) RequireUnconsultedFilters(setting string) error {
	if _, unread := d.Store.Shape().ComponentBytes(); unread == 0 {
		return &AllFiltersConsulted{Dir: d.Dir, setting: setting}
	}
	return nil
}

// AllFiltersConsulted is the error for a database whose Gets consult all of its filters.
type AllFiltersConsulted struct {
	Dir     string
	setting string
}

func (e *AllFiltersConsulted) Error() string {
	return fmt.Sprintf("Gets of %s consult all of its filters already: leave %s out", e.Dir, e.setting)
}
