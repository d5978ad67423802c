// Package virtual reads tables with only their metadata on disk: index, filters,
// properties and footer, at their true offsets in a sparse file. A data block is generated
// from the dataset's keys and values when it is read, identical byte for byte.
//
// A reader supplies only the offset of a data block. The header of the file with the table's metadata says
// which stored index block contains the entry for that offset. The entries give the
// bounds of the data block's keys, and the dataset generates the records between them.
package virtual

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"getio/engine/rowtable"
	"getio/workload/dataset"
)

// Tables are the tables of a virtual database. It is safe for concurrent use.
type Tables struct {
	tree     *dataset.Tree
	seed     uint64
	values   *dataset.Values
	form     *rowtable.Form
	byFile   map[uint64]int // number in the tree, by file number
	files    *files
	builders builderPool
}

// Open opens the tables of the virtual database in db. It keeps at most maxFiles files
// open, unless more are being read.
func Open(db string, maxFiles int) (*Tables, error) {
	m, err := readMarker(db)
	if err != nil {
		return nil, err
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
	if m.Build != dataset.BuildVirtual {
		return nil, fmt.Errorf("%s describes a dataset that is not virtual, but the database has a marker of a virtual one: build the dataset again", filepath.Join(root, dataset.ManifestName))
	}
	values, err := m.NewValues()
	if err != nil {
		return nil, err
	}
	return New(m.Tree(), m.Seed, values, form), nil
}

// New returns the tables of a tree for writing. Use Open to read from files.
func New(tree *dataset.Tree, seed uint64, values *dataset.Values, form *rowtable.Form) *Tables {
	t := &Tables{tree: tree, seed: seed, values: values, form: form, byFile: make(map[uint64]int, len(tree.Tables)), files: newFiles(1)}
	t.builders.options.Incompressible = values.Kind() == dataset.ValuesRandom
	for i, table := range tree.Tables {
		t.byFile[table.File] = i
	}
	return t
}

// Close closes the files. No table may be read after it.
func (t *Tables) Close() error { return t.files.close() }
