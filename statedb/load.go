package statedb

import (
	"fmt"
	"math"
	"time"

	"getio/record"
	"getio/statedb/adapter"
	"getio/workload/dataset"
)

const (
	// loadCacheBytes is the cache budget while loading. Lookups use the smallest caches.
	loadCacheBytes = 256 << 20
	// commitEvery is the number of keys per commit.
	commitEvery = 100_000
	// settleEvery is the number of keys between waits for the store to settle. It is about a
	// write buffer, so that an LSM tree's compactions find the same tables in every load.
	settleEvery = 4 * commitEvery
	// loadEvery is the number of records per frame.
	loadEvery = 1000
)

// writes are records to be written one after another.
type writes struct {
	count  uint64
	number func(i uint64) uint64 // of the key of the i-th record
	round  uint64                // of its value, as in dataset.Values
}

func (m *measurement) load() (err error) {
	inOrder := func(i uint64) uint64 { return i } // keys are hashes of their numbers
	m.record.Load, err = m.write(adapter.Create, writes{m.Keys, inOrder, 0})
	m.record.DiskBytes = m.storeBytes
	return err
}

// write makes writes in a process of their own, and then lays the files out in one piece each. It
// sets storeBytes.
func (m *measurement) write(mode adapter.Mode, w writes) (load record.StateLoad, err error) {
	before, err := m.workspace.written()
	if err != nil {
		return load, err
	}
	if err := m.open(mode, loadCacheBytes); err != nil {
		return load, err
	}
	begun := time.Now()
	if err := m.send(w); err != nil {
		m.client.End()
		return load, err
	}
	took := time.Since(begun)
	if err := m.end(); err != nil {
		return load, err
	}
	after, err := m.workspace.written()
	if err != nil {
		return load, err
	}
	if c := m.workspace.counter; c != nil {
		m.progress("gather files", 0, 0, "")
		if err := c.Gather(m.ctx); err != nil {
			return load, err
		}
	}
	m.storeBytes, err = m.workspace.size()
	return record.StateLoad{
		Seconds: took.Seconds(), CPUSeconds: m.client.ProcessorTime().Seconds(),
		CommitKeys: commitEvery, SettleKeys: settleEvery, CacheBytes: loadCacheBytes, WrittenBytes: after - before,
	}, err
}

// send sends records. At fixed intervals it commits, and waits until the store has settled.
func (m *measurement) send(w writes) error {
	batch := newBatch(m.ValueSize)
	for i := uint64(0); i < w.count; {
		n := min(loadEvery, w.count-i, commitEvery-i%commitEvery)
		if err := m.client.Load(batch.fill(m.records, w, i, int(n))); err != nil {
			return err
		}
		i += n
		m.progress("load", int(i), int(w.count), "keys")
		if i%commitEvery == 0 || i == w.count {
			root, err := m.client.Commit()
			if err != nil {
				return err
			}
			m.root = root
		}
		if i%settleEvery == 0 || i == w.count {
			m.progress("settle", 0, 0, "")
			if err := m.client.Quiesce(); err != nil {
				return err
			}
		}
	}
	return nil
}

type batch struct {
	keys    [loadEvery][dataset.KeySize]byte
	values  []byte
	records []adapter.Record
	size    int
}

func newBatch(valueSize int) *batch {
	return &batch{values: make([]byte, loadEvery*valueSize), records: make([]adapter.Record, loadEvery), size: valueSize}
}

// fill makes n records starting with the i-th.
func (b *batch) fill(r records, w writes, i uint64, n int) []adapter.Record {
	for k := range n {
		number := w.number(i + uint64(k))
		r.keys.Key(number, &b.keys[k])
		value := b.values[k*b.size : (k+1)*b.size : (k+1)*b.size]
		b.records[k] = adapter.Record{Key: b.keys[k][:], Value: r.values.Updated(number, w.round, value)}
	}
	return b.records[:n]
}

// wear gives more and more of the keys other values, each key once and in random order, and makes
// cold lookups after each part.
func (m *measurement) wear() error {
	if len(m.Overwrite) == 0 {
		return nil
	}
	order := dataset.NewPermutation(m.Keys, m.Seed)
	m.records.overwritten = newNumbers(m.Keys)
	var from uint64
	for _, share := range m.Overwrite {
		to := uint64(math.Round(share * float64(m.Keys)))
		w := writes{count: to - from, number: func(i uint64) uint64 { return order.Of(from + i) }, round: 1}
		m.phase = fmt.Sprintf("after overwriting %g%%, ", 100*share)
		worn := record.StateWorn{Share: share}
		var err error
		if worn.Load, err = m.write(adapter.Write, w); err != nil {
			return err
		}
		worn.DiskBytes = m.storeBytes
		for i := range w.count {
			m.records.overwritten.add(w.number(i))
		}
		r, err := m.read(nil)
		if err != nil {
			return err
		}
		worn.Rows, worn.AnonymousBytes = r.rows, r.memory
		m.record.Worn = append(m.record.Worn, worn)
		from = to
	}
	return nil
}
