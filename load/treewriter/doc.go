// Package treewriter builds a database table by table: it writes the tables of a tree in
// parallel, and the engine's library installs them. Tables are either complete or virtual,
// with only their metadata on disk.
//
// To verify the result, the library's own writer also writes one table per level, drawn by the
// seed; both must be identical byte for byte.
package treewriter

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"getio/engine"
	"getio/engine/virtual"
	"getio/system/atomicfile"
	"getio/workload/dataset"
)

// Job builds one database.
type Job struct {
	Engine  engine.Builder
	Config  engine.Config
	Dataset string // directory of the dataset
	DB      string // directory of the database
	Tree    *dataset.Tree
	Values  *dataset.Values
	Seed    uint64
	Virtual bool
	Workers int
	// Durable is the number of leading tables of the tree that are written and synced. Run
	// writes the others, even if their files exist.
	Durable int
	// Checkpoint is called now and then, when more tables are durable. Progress, which
	// may be nil, is called with the number of keys written.
	Checkpoint func(durable int) error
	Progress   func(keys uint64)

	every  time.Duration // between two checkpoints; 0 is checkpointEvery
	forms  *forms
	tables *virtual.Tables // the virtual tables as readers see them
}

// checkpointEvery bounds the work lost to an interruption.
const checkpointEvery = 10 * time.Second

// Run writes the tables that are not durable yet, verifies a sample of all tables, and
// installs them as a database. An interrupted job can be run again.
func (j *Job) Run(ctx context.Context) (err error) {
	if err := os.MkdirAll(j.DB, 0o755); err != nil {
		return err
	}
	if j.forms, err = readForms(j.Engine, j.Config, j.DB); err != nil {
		return err
	}
	if j.Virtual {
		j.tables = virtual.New(j.Tree, j.Seed, j.Values, &j.forms[0])
		defer j.tables.Close()
	}
	if err := j.write(ctx); err != nil {
		return err
	}
	if err := j.verify(ctx); err != nil {
		return err
	}
	if j.Virtual {
		if err := virtual.WriteMarker(j.DB, j.Dataset, &j.forms[0]); err != nil {
			return err
		}
	}
	return j.install()
}

// write writes the tables in parallel, each worker one at a time.
func (j *Job) write(ctx context.Context) error {
	done := &progressLedger{job: j, written: make([]bool, len(j.Tree.Tables)), durable: j.Durable, last: time.Now()}
	done.keys = j.Tree.FirstKey(j.Durable)
	group, ctx := errgroup.WithContext(ctx)
	var taken atomic.Int64
	taken.Store(int64(j.Durable))
	for range j.Workers {
		group.Go(func() error {
			w := j.newTableWriter(done)
			for i := int(taken.Add(1)) - 1; i < len(j.Tree.Tables); i = int(taken.Add(1)) - 1 {
				if err := w.write(ctx, i); err != nil {
					return fmt.Errorf("table %s: %w", j.path(i), err)
				}
				if err := done.add(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return done.checkpoint()
}

func (j *Job) path(i int) string { return j.Engine.TablePath(j.DB, j.Tree.Tables[i].File) }

// progressLedger keeps track of the tables written.
type progressLedger struct {
	job     *Job
	mu      sync.Mutex
	written []bool
	durable int
	last    time.Time
	keys    uint64
}

// progress adds to the number of keys written and reports it.
func (l *progressLedger) progress(keys uint64) {
	if l.job.Progress == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys += keys
	l.job.Progress(l.keys)
}

// add records that table i is written. Every checkpointEvery it makes a checkpoint.
func (l *progressLedger) add(i int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written[i] = true
	if time.Since(l.last) < cmp.Or(l.job.every, checkpointEvery) {
		return nil
	}
	return l.checkpoint()
}

// checkpoint makes the written tables durable. mu must be held while tables are written.
func (l *progressLedger) checkpoint() error {
	l.last = time.Now()
	upTo := l.durable
	for upTo < len(l.written) && l.written[upTo] {
		upTo++
	}
	if upTo == l.durable {
		return nil
	}
	if err := atomicfile.SyncAll(l.job.DB); err != nil {
		return fmt.Errorf("the tables in %s cannot be synced: %w", l.job.DB, err)
	}
	l.durable = upTo
	return l.job.Checkpoint(upTo)
}
