// Package virtual reads datasets of which only the metadata are on disk: the
// index, filters, properties and footer of every table, at their true offsets in
// a sparse file. Data blocks are made from the dataset's keys and values when
// they are read, to the byte as they would be in the table.
//
// A data block's offset is all that a reader tells. The header of the table's
// file says which block of the stored index names it; that block's entries say
// between which keys it lies; and which records those are follows from how the
// dataset draws its keys.
package virtual

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"getio/dataset"
	"getio/rowtable"
)

// MarkerName is the name of the file in a database's directory that says that
// its tables are virtual. Libraries take no notice of it.
const MarkerName = "VIRTUAL.json"

// MarkerSchema names the form of the marker.
const MarkerSchema = "getio.virtual/1"

// marker says where the dataset is, from the database's directory, and what its
// data blocks are like apart from their records.
type marker struct {
	Schema          string          `json:"schema"`
	Dataset         string          `json:"dataset"`
	RestartInterval int             `json:"restart_interval"`
	Snappy          rowtable.Snappy `json:"snappy,omitempty"`
}

// Mark marks the database in db as virtual, of the dataset in root, with tables
// of the given form.
func Mark(db, root string, form *rowtable.Form) error {
	rel, err := filepath.Rel(db, root)
	if err != nil {
		return fmt.Errorf("cannot tell the way from %s to %s: %w", db, root, err)
	}
	data, err := json.Marshal(marker{MarkerSchema, filepath.ToSlash(rel), form.RestartInterval, form.Snappy})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(db, MarkerName), append(data, '\n'), 0o644)
}

// IsVirtual tells whether the database in db is marked as virtual.
func IsVirtual(db string) bool {
	_, err := os.Stat(filepath.Join(db, MarkerName))
	return err == nil
}

// Tables are the tables of a virtual database. It is safe for concurrent use.
type Tables struct {
	tree   *dataset.Tree
	seed   uint64
	values dataset.Values
	form   *rowtable.Form
	byFile map[uint64]int // number in the tree, by file number
	files  *files
	makers makers
}

// Open opens the tables of the virtual database in db. At most maxFiles files are
// open at a time.
func Open(db string, maxFiles int) (*Tables, error) {
	path := filepath.Join(db, MarkerName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the mark of a virtual database: %w", err)
	}
	var m marker
	if err := json.Unmarshal(data, &m); err != nil || m.Schema != MarkerSchema || m.RestartInterval < 1 {
		return nil, fmt.Errorf("%s is not of schema %q: use the getio that wrote it", path, MarkerSchema)
	}
	root := filepath.Join(db, filepath.FromSlash(m.Dataset))
	t, err := of(root, &rowtable.Form{RestartInterval: m.RestartInterval, Snappy: m.Snappy})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, dataset.ErrNoManifest) {
		return nil, fmt.Errorf("%s is virtual and needs its dataset in %s: move both together (%w)", db, root, err)
	}
	if err != nil {
		return nil, err
	}
	t.files = newFiles(maxFiles)
	return t, nil
}

func of(root string, form *rowtable.Form) (*Tables, error) {
	m, err := dataset.Read(root)
	if err != nil {
		return nil, err
	}
	tree, err := dataset.ReadTree(root)
	if err != nil {
		return nil, err
	}
	values, err := m.NewValues()
	if err != nil {
		return nil, err
	}
	return New(tree, m.Seed, values, form), nil
}

// New returns the tables of a tree. Files are to be opened through them only
// after Open.
func New(tree *dataset.Tree, seed uint64, values dataset.Values, form *rowtable.Form) *Tables {
	t := &Tables{tree: tree, seed: seed, values: values, form: form, byFile: make(map[uint64]int, len(tree.Tables)), files: newFiles(1)}
	for i, table := range tree.Tables {
		t.byFile[table.File] = i
	}
	return t
}

// Close closes the files. No table may be read any more.
func (t *Tables) Close() error { return t.files.close() }
