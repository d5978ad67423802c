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

	"getio/dataset"
	"getio/load/treewriter"
)

// files are the SHA-256 of all files of a database, by name.
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

// eachBuild runs a test on jobs of the same dataset, real ones and virtual ones,
// each in a directory of its own.
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

// What a checkpoint calls durable is there, whole, under its own name.
func TestCheckpointsNameWholeTables(t *testing.T) {
	eachBuild(t, func(t *testing.T, job func() *treewriter.Job) {
		whole := job()
		require.NoError(t, whole.Run(context.Background()))
		want := files(t, whole.DB)
		j := job()
		before, calls := 0, 0
		j.Checkpoint = func(durable int) error {
			if durable <= before || durable > len(j.Tree.Tables) {
				t.Errorf("%d tables are durable after %d", durable, before)
			}
			for i := before; i < durable; i++ {
				b, err := os.ReadFile(j.Path(i))
				if err != nil || sha256.Sum256(b) != want[filepath.Base(j.Path(i))] {
					t.Errorf("of %d durable tables, %d is not what it will be (%v)", durable, i, err)
				}
			}
			before, calls = durable, calls+1
			return nil
		}
		require.NoError(t, j.Run(context.Background()))
		if before != len(j.Tree.Tables) || calls < before/4 {
			t.Errorf("%d checkpoints, the last of %d tables of %d", calls, before, len(j.Tree.Tables))
		}
	})
}

// A job that is told to stop at any key goes on from its last checkpoint, as often as it takes, to
// the files of one that was not; what is durable is not written again.
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
			assert.Equal(t, kept, written(t, j), "tables that were durable were written again")
			if err == nil {
				break
			}
			require.True(t, errors.Is(err, context.Canceled), err)
			if stops++; stops > 100 {
				t.Fatal("it never ends")
			}
		}
		assert.NotZero(t, stops, "it was never stopped")
		if got := files(t, j.DB); !maps.Equal(got, want) {
			t.Errorf("stopped %d times, it has the files %v, or not their contents, of %v", stops, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	})
}

// written are the times at which the tables that the job calls durable were written.
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

// A checkpoint that cannot be noted ends the job.
func TestCheckpointThatFails(t *testing.T) {
	eachBuild(t, func(t *testing.T, job func() *treewriter.Job) {
		broken := errors.New("broken")
		j := job()
		j.Checkpoint = func(int) error { return broken }
		if err := j.Run(context.Background()); !errors.Is(err, broken) {
			t.Errorf("it ended with %v", err)
		}
		if entries, err := filepath.Glob(filepath.Join(j.DB, "CURRENT")); err != nil || len(entries) > 0 {
			t.Errorf("%v is there (%v)", entries, err)
		}
	})
}
