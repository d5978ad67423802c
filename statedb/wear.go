package statedb

import (
	"fmt"
	"math"

	"getio/record"
	"getio/statedb/adapter"
	"getio/workload/dataset"
)

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
