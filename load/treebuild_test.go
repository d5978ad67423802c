package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/measure/database"
	"getio/workload/dataset"
)

// An interrupted build leaves a dataset that cannot be opened, but can be resumed.
func TestBuildToldToStopIsResumed(t *testing.T) {
	for _, e := range []engine.Engine{pebblev1.Engine, pebblev2.Engine} {
		for _, how := range []string{dataset.BuildShaped, dataset.BuildVirtual} {
			t.Run(e.Name()+"/"+how, func(t *testing.T) {
				skipTwin(t, e.Name())
				t.Parallel()
				const keys = 40_000
				dir := filepath.Join(t.TempDir(), "dataset")
				job := buildJob(t, e, dir, how, dataset.ValuesPool32, keys)
				stopped(t, job, keys/3, job.begin) // New may abandon it
				m := unfinished(t, dir)
				job = &Job{Engine: e, Config: job.Config, Dir: dir, Manifest: m, Workers: 2}
				stopped(t, job, keys, job.resume)
				job = &Job{Engine: e, Config: job.Config, Dir: dir, Manifest: unfinished(t, dir), Workers: 2}
				require.NoError(t, job.Resume(context.Background()))
				m, err := dataset.Read(dir)
				require.NoError(t, err)
				if !m.Complete || m.Progress != nil || m.Finished.IsZero() {
					t.Errorf("manifest: %+v", m)
				}
				holdGets(t, e, dir, m, 2_000)
			})
		}
	}
}

// stopped runs a load and interrupts it after the given number of keys.
func stopped(t *testing.T, job *Job, after uint64, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	job.Progress = func(s Stage) {
		if s.Phase != "build" || s.Total != job.Manifest.Keys {
			t.Errorf("unexpected stage %+v", s)
		}
		if s.Done >= after {
			cancel()
		}
	}
	err := run(ctx)
	var interrupted *Interrupted
	if !errors.As(err, &interrupted) || !strings.Contains(err.Error(), "resume with 'getio load "+job.Dir+" --resume'") {
		t.Fatalf("run: error %v", err)
	}
}

// unfinished returns the manifest of an incomplete dataset, which cannot be opened for reading.
func unfinished(t *testing.T, dir string) *dataset.Manifest {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if m.Complete || m.Progress == nil {
		t.Fatalf("manifest: %+v", m)
	}
	_, err = database.Open(context.Background(), engines.All(), dir, database.OpenOptions{})
	assert.ErrorContains(t, err, "did not finish")
	return m
}

// A build that cannot begin leaves nothing behind.
func TestBuildThatCannotBegin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	job := buildJob(t, pebblev2.Engine, dir, dataset.BuildShaped, dataset.ValuesPool32, 1_000)
	cfg, err := job.Engine.Configure("", []string{"format=19"})
	require.NoError(t, err)
	job.Config = cfg
	assert.ErrorContains(t, job.New(context.Background()), "--option format=13")
	job.Config, job.Engine = nil, naturalOnly{job.Engine}
	assert.ErrorContains(t, job.New(context.Background()), "without --shaped and --virtual")
	assert.NoDirExists(t, filepath.Dir(dir), "directories were left behind")
}

// naturalOnly is an engine that cannot install built tables.
type naturalOnly struct{ engine.Engine }

// The remains of a build killed before it wrote its manifest do not prevent another build.
func TestTreeWithoutManifestIsNoDataset(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	job := buildJob(t, pebblev1.Engine, dir, dataset.BuildVirtual, dataset.ValuesPool32, 1_000)
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, job.Manifest.Tree().Write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".getio-0123456789abcdef"), []byte("half"), 0o644))
	require.NoError(t, job.New(context.Background()))
	assert.NoFileExists(t, filepath.Join(dir, ".getio-0123456789abcdef"), "half a manifest was left behind")
}
