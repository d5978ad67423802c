package treewriter_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/load/treewriter"
	"getio/workload/dataset"
)

// files returns the SHA-256 sums of a database's files, by name.
func files(t *testing.T, db string) map[string][32]byte {
	t.Helper()
	entries, err := os.ReadDir(db)
	require.NoError(t, err)
	sums := map[string][32]byte{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(db, e.Name()))
		require.NoError(t, err)
		sums[e.Name()] = sha256.Sum256(b)
	}
	return sums
}

// eachBuild runs a test with real and with virtual tables. Each call of job returns a new job
// of the same dataset in its own directory.
func eachBuild(t *testing.T, test func(t *testing.T, job func() *treewriter.Job)) {
	e := builders[0]
	cfg, err := e.Configure("", nil)
	require.NoError(t, err)
	tree := treeOf(t, e, 25_000)
	for _, virtual := range []bool{false, true} {
		t.Run(fmt.Sprintf("virtual=%v", virtual), func(t *testing.T) {
			t.Parallel()
			test(t, func() *treewriter.Job {
				j := place(t, e, cfg, tree, dataset.ValuesPool32, 110)
				j.Virtual = virtual
				j.CheckpointAlways()
				return j
			})
		})
	}
}

// Every table that a checkpoint calls durable is complete and has its final name. One worker
// finishes tables in their order, so that each adds a checkpoint; of several, the first may be last.
func TestCheckpointsNameWholeTables(t *testing.T) {
	eachBuild(t, func(t *testing.T, job func() *treewriter.Job) {
		whole := job()
		require.NoError(t, whole.Run(context.Background()))
		want := files(t, whole.DB)
		requireCheckpoints(t, job(), 1, want)
		requireCheckpoints(t, job(), 2, want)
	})
}

func requireCheckpoints(t *testing.T, j *treewriter.Job, workers int, want map[string][sha256.Size]byte) {
	t.Helper()
	j.Workers = workers
	before, calls := 0, 0
	j.Checkpoint = func(durable int) error {
		if durable <= before || durable > len(j.Tree.Tables) {
			t.Errorf("%d tables are durable, after %d before", durable, before)
		}
		for i := before; i < durable; i++ {
			b, err := os.ReadFile(j.Path(i))
			if err != nil || sha256.Sum256(b) != want[filepath.Base(j.Path(i))] {
				t.Errorf("of %d durable tables, table %d differs from its final content (%v)", durable, i, err)
			}
		}
		before, calls = durable, calls+1
		return nil
	}
	require.NoError(t, j.Run(context.Background()))
	if before != len(j.Tree.Tables) || workers == 1 && calls < before {
		t.Errorf("%d workers: %d checkpoints, the last with %d of %d tables durable", workers, calls, before, len(j.Tree.Tables))
	}
}

// A job interrupted at random keys resumes from its last checkpoint. In the end it has the same
// files as a job that was not interrupted, and durable tables are not written again.
func TestBuildToldToStopGoesOn(t *testing.T) {
	eachBuild(t, func(t *testing.T, job func() *treewriter.Job) {
		whole := job()
		require.NoError(t, whole.Run(context.Background()))
		want := files(t, whole.DB)
		random := rand.New(rand.NewPCG(1, 2))
		j := job()
		durable, stops := 0, 0
		j.Checkpoint = func(n int) error { durable = n; return nil }
		for {
			j.Durable = durable
			kept := written(t, j)
			ctx, cancel := context.WithCancel(context.Background())
			stop := j.Tree.FirstKey(durable) + random.Uint64N(j.Tree.Keys()/3)
			j.Progress = func(keys uint64) {
				if keys >= stop {
					cancel()
				}
			}
			err := j.Run(ctx)
			cancel()
			assert.Equal(t, kept, written(t, j), "durable tables were written again")
			if err == nil {
				break
			}
			require.ErrorIs(t, err, context.Canceled)
			if stops++; stops > 100 {
				t.Fatal("the job never ends")
			}
		}
		assert.NotZero(t, stops, "the job was never interrupted")
		if got := files(t, j.DB); !maps.Equal(got, want) {
			t.Errorf("after %d interruptions: files %v, want %v with the same contents", stops, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	})
}

// written returns the modification times of the durable tables.
func written(t *testing.T, j *treewriter.Job) map[int]time.Time {
	t.Helper()
	times := map[int]time.Time{}
	for i := range j.Durable {
		fi, err := os.Stat(j.Path(i))
		require.NoError(t, err)
		times[i] = fi.ModTime()
	}
	return times
}

// A checkpoint that cannot be recorded ends the job.
func TestCheckpointThatFails(t *testing.T) {
	eachBuild(t, func(t *testing.T, job func() *treewriter.Job) {
		broken := errors.New("broken")
		j := job()
		j.Checkpoint = func(int) error { return broken }
		if err := j.Run(context.Background()); !errors.Is(err, broken) {
			t.Errorf("Run: error %v, want broken", err)
		}
		if entries, err := filepath.Glob(filepath.Join(j.DB, "CURRENT")); err != nil || len(entries) > 0 {
			t.Errorf("%v exists (%v)", entries, err)
		}
	})
}
