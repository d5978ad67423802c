package statedb

import (
	"time"

	"getio/dataset"
	"getio/outside/adapter"
	"getio/record"
)

// load fills the store in a process of its own.
func (m *measurement) load() error {
	if err := m.open(adapter.Create, loadCacheBytes); err != nil {
		return err
	}
	begun := time.Now()
	if err := m.write(); err != nil {
		m.client.End()
		return err
	}
	took := time.Since(begun)
	if err := m.end(); err != nil {
		return err
	}
	if c := m.workspace.counter; c != nil {
		m.progress("gather files", 0, 0, "")
		if err := c.Gather(m.ctx); err != nil {
			return err
		}
	}
	size, err := m.workspace.size()
	if err != nil {
		return err
	}
	m.record.DiskBytes = size
	m.record.Load = record.StateLoad{
		Seconds: took.Seconds(), CPUSeconds: m.client.ProcessorTime().Seconds(), CommitKeys: commitEvery, SettleKeys: settleEvery, CacheBytes: loadCacheBytes,
	}
	return nil
}

// write sends all records in random order of their keys. At fixed intervals and at the end
// it waits until the store has settled.
func (m *measurement) write() error {
	batch := newBatch(m.ValueSize)
	for i := uint64(0); i < m.Keys; {
		n := min(loadEvery, m.Keys-i, commitEvery-i%commitEvery)
		if err := m.client.Load(batch.fill(m.records, i, int(n))); err != nil {
			return err
		}
		i += n
		m.progress("load", int(i), int(m.Keys), "keys")
		if i%commitEvery == 0 || i == m.Keys {
			root, err := m.client.Commit()
			if err != nil {
				return err
			}
			m.root = root
		}
		if i%settleEvery == 0 || i == m.Keys {
			m.progress("settle", 0, 0, "")
			if err := m.client.Quiesce(); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch holds the records of one frame.
type batch struct {
	keys    [loadEvery][dataset.KeySize]byte
	values  []byte
	records []adapter.Record
	size    int
}

func newBatch(valueSize int) *batch {
	return &batch{values: make([]byte, loadEvery*valueSize), records: make([]adapter.Record, loadEvery), size: valueSize}
}

// fill makes n records starting at number i.
func (b *batch) fill(r records, i uint64, n int) []adapter.Record {
	for k := range n {
		r.keys.Key(i+uint64(k), &b.keys[k])
		value := b.values[k*b.size : (k+1)*b.size : (k+1)*b.size]
		b.records[k] = adapter.Record{Key: b.keys[k][:], Value: r.values.Value(i+uint64(k), value)}
	}
	return b.records[:n]
}
