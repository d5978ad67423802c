package cell

import (
	"context"
	"fmt"

	"getio/measure"
	"getio/workload/trace"
)

// Options returns how the cell's runs are made.
func (c *Cell) Options() measure.Options {
	return measure.Options{Workload: c.Workload, Counted: c.Counted}
}

// OpenFiles reads the files that the keys come from, and refuses those that have changed since the plan
// was made. The trace is nil if the keys are not a trace's.
func (c *Cell) OpenFiles(ctx context.Context) (t *trace.File, err error) {
	k := c.Workload.Keys
	if k.Identified() != k {
		return nil, otherFile(k.KeysFile)
	}
	if k.Trace == "" {
		return nil, nil
	}
	if t, err = trace.Check(ctx, k.Trace, nil); err != nil {
		return nil, err
	}
	if t.SHA256 != k.TraceSHA256 {
		return nil, otherFile(k.Trace)
	}
	return t, nil
}

func otherFile(path string) error {
	return fmt.Errorf("%s is missing here, or not the file that the plan was made with: copy that one to the same path", path)
}
