package load

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/dataset"
	"getio/engine"
	"getio/load/treewriter"
	"getio/tree/lsm"
)

// DefaultEngine is the engine of loads that name none: the published study's.
const DefaultEngine = "pebblev1"

// NewJob prepares a load of the dataset that m describes, by the engine and preset that m
// names, with options as NAME=VALUE over the preset's. It completes the manifest.
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

// maxBatchBytes bounds a batch. Libraries take batches up to 4 GiB, and each worker fills one.
const maxBatchBytes = 256 << 20

func checkBatch(m *dataset.Manifest) error {
	record := dataset.KeySize + m.ValueSize
	if bytes := m.Batch * record; bytes > maxBatchBytes {
		return fmt.Errorf("batches of %d keys are %s: take at most %d keys per batch with values of this size",
			m.Batch, humanize.IBytes(uint64(bytes)), maxBatchBytes/record)
	}
	return nil
}

// ExistingJob prepares for writing to a dataset with the options of its manifest.
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

// NewTreeJob prepares a load that writes a tree table by table. The manifest names the engine,
// the preset, the values, the seed and the build, shaped or virtual; keys, order and tables
// are those of the shape that the engine's options lead to.
func NewTreeJob(engines engine.Registry, dir string, m *dataset.Manifest, options []string, workers int, shapeFor func(options map[string]string) (*lsm.Shape, error)) (*Job, error) {
	m.Keys, m.Keyspace, m.Order = 1, dataset.KeyspaceStratified, dataset.OrderSequential
	job, err := NewJob(engines, dir, m, options, workers)
	if err != nil {
		return nil, err
	}
	builder, ok := job.Engine.(engine.Builder)
	if !ok {
		return nil, fmt.Errorf("%s cannot take tables that it did not write itself: load without --shaped and --virtual", job.Engine.Name())
	}
	if _, err := builder.TableOptions(job.Config); err != nil {
		return nil, err
	}
	shape, err := shapeFor(job.Config.Effective())
	if err != nil {
		return nil, err
	}
	tree, err := treewriter.Tree(shape, builder.FirstTable())
	if err != nil {
		return nil, err
	}
	m.SetTree(tree)
	return job, nil
}
