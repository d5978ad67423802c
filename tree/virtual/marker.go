package virtual

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"getio/tree/blockformat"
	"getio/tree/rowtable"
)

// MarkerName is the name of the file in a database's directory that says that
// its tables are virtual. Libraries take no notice of it.
const MarkerName = "VIRTUAL.json"

// MarkerSchema names the form of the marker.
const MarkerSchema = "getio.virtual/1"

// marker says where the dataset is, from the database's directory, and what its
// data blocks are like apart from their records.
type marker struct {
	Schema          string                 `json:"schema"`
	Dataset         string                 `json:"dataset"`
	RestartInterval int                    `json:"restart_interval"`
	Snappy          blockformat.SnappyRule `json:"snappy,omitempty"`
}

// WriteMarker marks the database in db as virtual, of the dataset in root, with tables
// of the given form.
func WriteMarker(db, root string, form *rowtable.Form) error {
	rel, err := filepath.Rel(db, root)
	if err != nil {
		return fmt.Errorf("cannot tell the way from %s to %s: %w", db, root, err)
	}
	data, err := json.Marshal(marker{MarkerSchema, filepath.ToSlash(rel), form.RestartInterval, form.Snappy})
	if err != nil {
		return err
	}
	return writeSynced(filepath.Join(db, MarkerName), append(data, '\n'))
}

// readMarker reads the marker of the database in db.
func readMarker(db string) (m marker, err error) {
	path := filepath.Join(db, MarkerName)
	data, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("cannot read the mark of a virtual database (%w): build the dataset again", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s is not JSON of a mark (%w): build the dataset again", path, err)
	}
	if m.Schema != MarkerSchema {
		return m, fmt.Errorf("%s is of schema %q and this getio knows %q: use the getio that wrote it", path, m.Schema, MarkerSchema)
	}
	rules := []blockformat.SnappyRule{blockformat.SnappyNever, blockformat.SnappyEighth, blockformat.SnappyPercent12}
	if m.RestartInterval < 1 || !slices.Contains(rules, m.Snappy) {
		return m, fmt.Errorf("%s names restart points at every %d records and Snappy by the rule %q, which no table has: build the dataset again",
			path, m.RestartInterval, m.Snappy)
	}
	return m, nil
}

// writeSynced is os.WriteFile of what a crash must not take back.
func writeSynced(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// IsVirtual tells whether the database in db is marked as virtual.
func IsVirtual(db string) bool {
	_, err := os.Stat(filepath.Join(db, MarkerName))
	return err == nil
}
