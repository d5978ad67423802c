package probe

import (
	"context"
	"math/rand/v2"
	"testing"

	"getio/engine"
	"getio/workload/dataset"
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
	values *dataset.Values
}

func newDataset(t *testing.T, n uint64) keysAndValues {
	keys, err := dataset.NewKeyspace(dataset.KeyspaceStratified, n, seed)
	check(t, err)
	values, err := dataset.NewValues(dataset.ValuesPool32, valueSize, seed)
	check(t, err)
	return keysAndValues{keys, values.WithUpdates(updates)}
}

// load writes every key once in random order and settles the tree. Then it updates a few
// keys with compactions of L0 held back, so that L0 has tables.
func (p *prober) load() {
	random := rand.New(rand.NewPCG(seed, 0))
	order := random.Perm(int(p.dataset.keys.Len()))
	loader, err := p.engine.Create(p.dir, p.cfg)
	check(p.T, err)
	p.write(loader, order, 0)
	check(p.T, loader.Close())
	uncompacted := p.cfg
	for _, option := range []string{"l0_stop_writes_threshold=1000", "l0_compaction_threshold=1000"} {
		uncompacted, err = uncompacted.With(option)
		check(p.T, err)
	}
	loader, err = p.engine.Resume(p.dir, uncompacted)
	check(p.T, err)
	for round := range updates {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		p.write(loader, order[:updateKeys], uint64(round+1))
	}
	check(p.T, loader.Close())
}

func (p *prober) write(loader engine.Loader, order []int, round uint64) {
	batch := loader.NewBatch()
	var key [dataset.KeySize]byte
	var value []byte
	for n, i := range order {
		p.dataset.keys.Key(uint64(i), &key)
		value = p.dataset.values.Updated(uint64(i), round, value)
		check(p.T, batch.Set(key[:], value))
		if (n+1)%perBatch == 0 || n+1 == len(order) {
			check(p.T, batch.Commit())
		}
	}
	check(p.T, batch.Close())
	check(p.T, loader.Settle(context.Background(), nil))
}
