package treewriter

import (
	"context"
	"os"

	"getio/tree/virtual"
)

// Prove holds table i of a job that ran against the library's.
func (j *Job) Prove(i int) error {
	if j.Virtual {
		j.tables = virtual.New(j.Tree, j.Seed, j.Values, &j.forms[0])
		defer j.tables.Close()
	}
	return j.verifyTable(context.Background(), i)
}

// WriteTables writes the tables and makes no database of them. It returns how they read if they are
// virtual. Their forms are those of another job of the same configuration, if there is one.
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

// CheckpointAlways has a checkpoint follow every table.
func (j *Job) CheckpointAlways() { j.every = 1 }

// Path is the path of table i.
func (j *Job) Path(i int) string { return j.path(i) }
