package treewriter

import (
	"context"
	"os"

	"getio/engine/virtual"
)

// Prove compares table i, after Run, with the table that the library writes.
func (j *Job) Prove(i int) error {
	if j.Virtual {
		j.tables = virtual.New(j.Tree, j.Seed, j.Values, &j.forms[0])
		defer j.tables.Close()
	}
	return j.verifyTable(context.Background(), i)
}

// WriteTables writes the tables but does not install them. It returns the virtual tables as readers
// see them. If other is not nil, it has the same configuration, and its forms are used.
func (j *Job) WriteTables(other *Job) (tables *virtual.Tables, err error) {
	if err := os.MkdirAll(j.DB, 0o755); err != nil {
		return nil, err
	}
	if other != nil {
		j.forms = other.forms
	} else if j.forms, err = readForms(j.Engine, j.Config, j.DB); err != nil {
		return nil, err
	}
	return virtual.New(j.Tree, j.Seed, j.Values, &j.forms[0]), j.write(context.Background())
}

// CheckpointAlways makes a checkpoint follow every table.
func (j *Job) CheckpointAlways() { j.every = 1 }

// Path returns the path of table i.
func (j *Job) Path(i int) string { return j.path(i) }
