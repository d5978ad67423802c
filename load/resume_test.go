package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/workload/dataset"
)

// interrupted runs a load and cancels it after about stop keys.
func interrupted(t *testing.T, keys, stop uint64, batch int) *Job {
	t.Helper()
	j := newJob(t, keys, batch, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j.Progress = func(s Stage) {
		if s.Phase == "load" && s.Done >= stop {
			cancel()
		}
	}
	err := j.begin(ctx) // New may abandon it
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "--resume") {
		t.Fatalf("an interrupted load ended with %v", err)
	}
	return j
}

// progressOf returns the progress recorded in the manifest on disk.
func progressOf(t *testing.T, dir string) dataset.Progress {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if m.Complete || m.Progress == nil {
		t.Fatalf("manifest does not describe an unfinished load: %+v", m)
	}
	return *m.Progress
}

// resumedWith resumes a copy of the dataset with the given progress in its manifest.
func resumedWith(t *testing.T, dir string, p *dataset.Progress) {
	t.Helper()
	dir = copied(t, dir)
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	m.Progress = p
	require.NoError(t, m.Write(dir))
	require.NoError(t, again(t, dir).Resume(context.Background()))
	holdWhole(t, dir)
}

func TestInterruptedLoadGoesOnFromWhateverTheManifestAdmits(t *testing.T) {
	t.Parallel()
	const keys = 6007
	for _, batch := range []int{0, 100} {
		j := interrupted(t, keys, 2600, batch)
		p := progressOf(t, j.Dir)
		if p.Durable < 1000 || p.Horizon <= p.Durable || p.Horizon > 4000 {
			t.Fatalf("interrupted after about 2600 keys: progress %+v", p)
		}
		// A manifest may lag behind: it must not overstate Durable or understate
		// Horizon, but the converse is safe.
		for _, q := range []dataset.Progress{
			p,
			{Durable: 0, Horizon: keys},
			{Durable: p.Durable - 1, Horizon: p.Horizon},
			{Durable: p.Durable - 999, Horizon: p.Horizon + 1},
		} {
			t.Run(fmt.Sprintf("batch %d, %+v", batch, q), func(t *testing.T) {
				if testing.Short() && q != p {
					t.Skip("the manifest's lag changes what is written, not by which goroutines")
				}
				t.Parallel()
				resumedWith(t, j.Dir, &q)
			})
		}
	}
}

func TestLoadInterruptedManyTimesIsWholeInTheEnd(t *testing.T) {
	t.Parallel()
	const keys = 5003
	j := interrupted(t, keys, 300, 50)
	for stop := uint64(900); ; stop += 900 {
		before := progressOf(t, j.Dir)
		k := again(t, j.Dir)
		ctx, cancel := context.WithCancel(context.Background())
		k.Progress = func(s Stage) {
			if s.Phase == "load" && s.Done >= stop {
				cancel()
			}
		}
		err := k.resume(ctx)
		cancel()
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		if stop > 2*keys {
			t.Fatal("the load never ends")
		}
		if after := progressOf(t, j.Dir); after.Durable < before.Durable || after.Horizon < before.Horizon {
			t.Fatalf("progress went back from %+v to %+v", before, after)
		}
	}
	holdWhole(t, j.Dir)
}

func TestLoadInterruptedWhileItSettlesGoesOn(t *testing.T) {
	t.Parallel()
	j := newJob(t, 3001, 100, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j.Progress = func(s Stage) {
		if s.Phase == "settle" {
			cancel()
		}
	}
	if err := j.begin(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted load ended with %v", err)
	}
	assert.Equal(t, dataset.Progress{Durable: 3001, Horizon: 3001}, progressOf(t, j.Dir))
	require.NoError(t, again(t, j.Dir).Resume(context.Background()))
	holdWhole(t, j.Dir)
}

// A load interrupted before its first key may leave any part of a database, or none.
func TestLoadCutShortBeforeTheFirstKeyBeginsAgain(t *testing.T) {
	t.Parallel()
	begun := interrupted(t, 2003, 0, 100)
	for name, leave := range map[string]func(t *testing.T, db string){
		"no directory": func(t *testing.T, db string) { require.NoError(t, os.RemoveAll(db)) },
		"an empty directory": func(t *testing.T, db string) {
			require.NoError(t, os.RemoveAll(db))
			require.NoError(t, os.Mkdir(db, 0o755))
		},
		"no options file": func(t *testing.T, db string) {
			options, err := filepath.Glob(filepath.Join(db, "OPTIONS-*"))
			require.NoError(t, err)
			for _, path := range options {
				require.NoError(t, os.Remove(path))
			}
		},
		"a lock file alone": func(t *testing.T, db string) {
			require.NoError(t, os.RemoveAll(db))
			require.NoError(t, os.Mkdir(db, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(db, "LOCK"), nil, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, begun.Dir)
			m, err := dataset.Read(dir)
			require.NoError(t, err)
			m.Progress = &dataset.Progress{}
			require.NoError(t, m.Write(dir))
			leave(t, m.DBDir(dir))
			require.NoError(t, again(t, dir).Resume(context.Background()))
			holdWhole(t, dir)
		})
	}
}

// If the database is missing although keys were written, it is not created again.
func TestLoadWhoseDatabaseIsGoneIsNotResumed(t *testing.T) {
	t.Parallel()
	j := interrupted(t, 3001, 1500, 100)
	require.NoError(t, os.RemoveAll(j.Manifest.DBDir(j.Dir)))
	before := progressOf(t, j.Dir)
	assert.Error(t, again(t, j.Dir).Resume(context.Background()), "Resume succeeded")
	assert.Equal(t, before, progressOf(t, j.Dir))
}

// Without progress in the manifest, any key of an unfinished load may be present or missing.
func TestLoadOfUnknownProgressChecksEveryKey(t *testing.T) {
	t.Parallel()
	j := interrupted(t, 3001, 1500, 100)
	resumedWith(t, j.Dir, nil)
}

func TestManifestThatChangedMeanwhileStopsTheResume(t *testing.T) {
	t.Parallel()
	j := interrupted(t, 3001, 1500, 100)
	k := again(t, j.Dir)
	require.NoError(t, again(t, j.Dir).Resume(context.Background()))
	assert.ErrorContains(t, k.Resume(context.Background()), "changed")
	holdWhole(t, j.Dir)
}
