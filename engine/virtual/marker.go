package virtual

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"getio/engine/blockformat"
	"getio/engine/rowtable"
	"getio/system/atomicfile"
	"getio/system/filesystem"
)

// MarkerName is the name of the marker, a file in the directory of a virtual database.
// Libraries ignore it.
const MarkerName = "VIRTUAL.json"

// MarkerSchema is the schema of the marker.
const MarkerSchema = "getio.virtual/1"

// marker holds the dataset's directory, relative to the database's, and the format of data blocks.
type marker struct {
	Schema          string                 `json:"schema"`
	Dataset         string                 `json:"dataset"`
	RestartInterval int                    `json:"restart_interval"`
	Snappy          blockformat.SnappyRule `json:"snappy,omitempty"`
}

// WriteMarker marks the database in db as virtual. Its dataset is in root and its tables
// have the given form.
func WriteMarker(db, root string, form *rowtable.Form) error {
	rel, err := filepath.Rel(db, root)
	if err != nil {
		return fmt.Errorf("cannot find a relative path from %s to %s: %w", db, root, err)
	}
	data, err := json.Marshal(marker{MarkerSchema, filepath.ToSlash(rel), form.RestartInterval, form.Snappy})
	if err != nil {
		return err
	}
	path := filepath.Join(db, MarkerName)
	if err := os.WriteFile(path, append(data, '\n'), 0o666); err != nil {
		return err
	}
	return atomicfile.Sync(path)
}

// readMarker reads the marker of the database in db.
func readMarker(db string) (m marker, err error) {
	path := filepath.Join(db, MarkerName)
	data, err := filesystem.ReadRegular(path, 1<<10)
	if err != nil {
		return m, fmt.Errorf("cannot read the marker of a virtual database (%w): build the dataset again", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s is invalid JSON (%w): build the dataset again", path, err)
	}
	if m.Schema != MarkerSchema {
		return m, fmt.Errorf("%s has schema %q, but this getio knows only %q: use the getio that wrote it", path, m.Schema, MarkerSchema)
	}
	rules := []blockformat.SnappyRule{blockformat.SnappyNever, blockformat.SnappyEighth, blockformat.SnappyPercent12}
	if m.RestartInterval < 1 || !slices.Contains(rules, m.Snappy) {
		return m, fmt.Errorf("%s has an invalid restart interval %d or Snappy rule %q: build the dataset again",
			path, m.RestartInterval, m.Snappy)
	}
	return m, nil
}

// IsVirtual reports whether the database in db is marked as virtual.
func IsVirtual(db string) bool {
	_, err := os.Stat(filepath.Join(db, MarkerName))
	return err == nil
}
