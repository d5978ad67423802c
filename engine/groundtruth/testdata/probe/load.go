package main

import (
	"context"
	"math/rand/v2"

	"getio/dataset"
	"getio/engine"
	"getio/engine/groundtruth"
	"getio/tree/lsm"
)

const (
	seed       = 20
	valueSize  = 110
	perBatch   = 500
	updates    = 2 // rounds after the load
	updateKeys = 1500
)

// keysAndValues is the content of the tree.
type keysAndValues struct {
	keys   dataset.Keyspace
	values dataset.Values
}

func newDataset(n uint64) (*keysAndValues, error) {
	keys, err := dataset.NewKeyspace(dataset.KeyspaceStratified, n, seed)
	if err != nil {
		return nil, err
	}
	values, err := dataset.NewValues(dataset.ValuesPool32, valueSize, seed)
	if err != nil {
		return nil, err
	}
	return &keysAndValues{keys, values.WithUpdates(updates)}, nil
}

// load writes every key once in random order and settles the tree. Then it updates a few
// keys with compactions of L0 held back, so that L0 has tables.
func load(e engine.Engine, dir string, cfg engine.Config, d *keysAndValues) error {
	random := rand.New(rand.NewPCG(seed, 0))
	order := random.Perm(int(d.keys.Len()))
	loader, err := e.Create(dir, cfg)
	if err != nil {
		return err
	}
	if err := write(loader, d, order, 0); err != nil {
		return err
	}
	if err := loader.Close(); err != nil {
		return err
	}
	for _, option := range []string{"l0_stop_writes_threshold=1000", "l0_compaction_threshold=1000"} {
		if cfg, err = cfg.With(option); err != nil {
			return err
		}
	}
	if loader, err = e.Resume(dir, cfg); err != nil {
		return err
	}
	for round := range updates {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if err := write(loader, d, order[:updateKeys], uint64(round+1)); err != nil {
			return err
		}
	}
	return loader.Close()
}

func write(loader engine.Loader, d *keysAndValues, order []int, round uint64) error {
	batch := loader.NewBatch()
	defer batch.Close()
	var key [dataset.KeySize]byte
	var value []byte
	for n, i := range order {
		d.keys.Key(uint64(i), &key)
		value = d.values.Updated(uint64(i), round, value)
		if err := batch.Set(key[:], value); err != nil {
			return err
		}
		if (n+1)%perBatch == 0 || n+1 == len(order) {
			if err := batch.Commit(); err != nil {
				return err
			}
		}
	}
	return loader.Settle(context.Background(), nil)
}

// levels returns the part of the tree's shape that the test needs.
func levels(shape *lsm.Shape) (levels []groundtruth.Level) {
	for _, l := range shape.Levels {
		g := groundtruth.Level{Level: l.Level, Sublevels: l.Sublevels}
		for _, t := range l.TableList {
			g.Tables++
			if t.IndexBlocks > 0 {
				g.TwoLevel++
			}
			if t.FilterBytes > 0 {
				g.Filtered++
			}
		}
		levels = append(levels, g)
	}
	return levels
}
