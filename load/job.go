package load

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/lsm"
	"getio/load/growth"
	"getio/load/treewriter"
	"getio/workload/dataset"
)

// DefaultEngine is the engine of the published study. Loads that name no engine use it.
const DefaultEngine = "pebblev1"

// NewJob prepares a load of the dataset that m describes, with the engine and preset named in
// m. The options, as NAME=VALUE, override those of the preset. NewJob completes the manifest.
func NewJob(engines engine.Registry, dir string, m *dataset.Manifest, options []string, workers int) (*Job, error) {
	if m.Engine == "" {
		m.Engine = DefaultEngine
	}
	e, err := engines.ByName(m.Engine)
	if err != nil {
		return nil, err
	}
	cfg, err := engines.Configure(e, m.Preset, options)
	if err != nil {
		return nil, err
	}
	m.Schema = dataset.Schema
	m.Engine, m.EngineVersion = e.Name(), e.Version()
	m.Preset, m.Options = cfg.Preset(), cfg.Effective()
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: workers}, checkBatch(m)
}

// maxBatchBytes limits a batch. Libraries accept up to 4 GiB, but every worker fills one.
const maxBatchBytes = 256 << 20

func checkBatch(m *dataset.Manifest) error {
	record := dataset.KeySize + m.ValueSize
	if bytes := m.Batch * record; bytes > maxBatchBytes {
		return fmt.Errorf("batches of %d keys are %s: take at most %d keys per batch with values of this size",
			m.Batch, humanize.IBytes(uint64(bytes)), maxBatchBytes/record)
	}
	return nil
}

// ExistingJob prepares a job that writes to an existing dataset with the options in its manifest.
func ExistingJob(engines engine.Registry, dir string, m *dataset.Manifest, workers int) (*Job, error) {
	e, err := engines.ByName(m.Engine)
	if err != nil {
		return nil, err
	}
	cfg, err := e.Configure(m.Preset, m.Overrides())
	if err != nil {
		return nil, err
	}
	return &Job{Engine: e, Config: cfg, Dir: dir, Manifest: m, Workers: workers}, nil
}

// NewTreeJob prepares a load that writes a tree table by table. The manifest gives the engine,
// preset, values, seed and build (shaped or virtual). Keys, order and tables come from the
// shape that shapeFor returns for the engine's effective options.
func NewTreeJob(engines engine.Registry, dir string, m *dataset.Manifest, options []string, workers int, shapeFor func(options map[string]string) (*lsm.Shape, error)) (*Job, error) {
	m.Keys, m.Keyspace, m.Order = 1, dataset.KeyspaceStratified, dataset.OrderSequential
	job, err := NewJob(engines, dir, m, options, workers)
	if err != nil {
		return nil, err
	}
	if err := job.buildable(); err != nil {
		return nil, err
	}
	shape, err := shapeFor(job.Config.Effective())
	if err != nil {
		return nil, err
	}
	tree, err := treewriter.Tree(shape, job.Engine.(engine.Builder).FirstTable())
	if err != nil {
		return nil, err
	}
	m.SetTree(tree)
	return job, nil
}

// NamedTree returns a shapeFor function for NewTreeJob. The shape is that of a published
// database (growth.Names), that in a shape file or, if name is empty, the one that keys grow
// into. A named shape must have exactly that many keys, unless keys is 0.
func NamedTree(name string, keys uint64, m *dataset.Manifest) func(options map[string]string) (*lsm.Shape, error) {
	return func(options map[string]string) (shape *lsm.Shape, err error) {
		switch {
		case name == "" && keys == 0:
			return nil, errors.New("load needs a number of keys: add --keys N, such as --keys 10M, or --shape")
		case name == "":
			return treewriter.GrownShape(keys, m.Seed, m.ValueSize, m.Values, options)
		case slices.Contains(growth.Names, name):
			shape, err = growth.Published(name, m.Seed)
		default:
			if shape, err = lsm.ReadFile(name); err == nil {
				err = shape.RequireNoBlobs(name)
			}
		}
		if err != nil || keys == 0 {
			return shape, err
		}
		if has := shape.Total().Records; uint64(has) != keys {
			return nil, fmt.Errorf("--shape %s has %s keys, not the %s of --keys: leave --keys out", name, humanize.Comma(has), humanize.Comma(int64(keys)))
		}
		return shape, nil
	}
}

// UnfinishedJob prepares to resume the load in a directory.
func UnfinishedJob(engines engine.Registry, dir string, workers int) (*Job, error) {
	m, err := dataset.Read(dir)
	switch {
	case errors.Is(err, dataset.ErrNoManifest) || errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s holds no load to resume (no %s): start one without --resume", dir, dataset.ManifestName)
	case err != nil:
		return nil, err
	case m.Complete:
		return nil, fmt.Errorf("%s is complete already: there is nothing to resume", dir)
	}
	return ExistingJob(engines, dir, m, workers)
}
