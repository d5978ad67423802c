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

	"getio/dataset"
)

// interrupted loads up to the given number of keys and is then told to stop.
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
	err := j.begin(ctx) // New may leave it behind
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "--resume") {
		t.Fatalf("an interrupted load ended with %v", err)
	}
	return j
}

// progressOf is what the manifest on disk says.
func progressOf(t *testing.T, dir string) dataset.Progress {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if m.Complete || m.Progress == nil {
		t.Fatalf("the load is not to go on: %+v", m)
	}
	return *m.Progress
}

// resumedWith goes on from a copy whose manifest says how far it is.
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
			t.Fatalf("interrupted after about 2600 keys, it says %+v", p)
		}
		// A manifest may lag behind: it never says less than it should of what is
		// not written, nor more than it should of what is.
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
		require.True(t, errors.Is(err, context.Canceled), err)
		if stop > 2*keys {
			t.Fatal("the load never ends")
		}
		if after := progressOf(t, j.Dir); after.Durable < before.Durable || after.Horizon < before.Horizon {
			t.Fatalf("%+v became %+v", before, after)
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

// Cut short before the first key, a load leaves all or nothing of a database.
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

// A database that is gone although keys were written is not begun again.
func TestLoadWhoseDatabaseIsGoneIsNotResumed(t *testing.T) {
	t.Parallel()
	j := interrupted(t, 3001, 1500, 100)
	require.NoError(t, os.RemoveAll(j.Manifest.DBDir(j.Dir)))
	before := progressOf(t, j.Dir)
	assert.Error(t, again(t, j.Dir).Resume(context.Background()), "it was resumed")
	assert.Equal(t, before, progressOf(t, j.Dir))
}

// A manifest that does not say how far an unfinished load is admits anything.
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
