package load

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine"
	"getio/workload/dataset"
)

// stalledSegment is a number of keys whose last batch is not full.
const stalledSegment = 10*4500 + 76

// stalled is a library whose load is interrupted during the last commits of a segment, while
// further batches wait to be written.
type stalled struct {
	engine.Loader
	cancel    func()
	committed uint64
}

func (s *stalled) NewBatch() engine.Batch { return &stalledBatch{stalled: s} }
func (s *stalled) Sync() error            { return nil }

type stalledBatch struct {
	*stalled
	keys uint64
}

func (b *stalledBatch) Set(_, _ []byte) error { b.keys++; return nil }
func (b *stalledBatch) Close() error          { return nil }

func (b *stalledBatch) Commit() error {
	b.committed += b.keys
	b.keys = 0
	if b.committed >= stalledSegment-100 {
		b.cancel()
	}
	return nil
}

// TestInterruptedSegmentIsNotDurable checks that keys skipped by the workers after an
// interruption do not count as durable: a resumed load would leave them out.
func TestInterruptedSegmentIsNotDurable(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &dataset.Manifest{
		Schema: dataset.Schema, Keys: 2 * stalledSegment, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesPool32,
		ValueSize: 10, Order: dataset.OrderRandom, Batch: 4500, Engine: "test", Progress: &dataset.Progress{},
	}
	loader := &stalled{cancel: cancel}
	err := (&Job{Dir: t.TempDir(), Manifest: m, Workers: 1, segment: stalledSegment}).write(ctx, loader)
	assert.ErrorIs(t, err, context.Canceled)
	assert.LessOrEqual(t, m.Progress.Durable, loader.committed, "durable keys")
}
