package build

import (
	"context"

	"getio/virtual"
)

// Prove holds table i of a job that ran against the library's.
func (j *Job) Prove(i int) error {
	if j.Virtual {
		j.tables = virtual.New(j.Tree, j.Seed, j.Values, &j.forms[0])
		defer j.tables.Close()
	}
	return j.proveTable(context.Background(), i)
}
