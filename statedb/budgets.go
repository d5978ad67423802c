package statedb

import (
	"slices"

	"getio/predict/cachesim"
	"getio/record"
	"getio/statedb/counter"
	"getio/system/loopdisk"
)

// dropEvery is the number of lookups between drops of the store's own caches while the pages
// of lookups are recorded. Dropping is slow, and pages used twice within so few lookups stay
// in any budget anyway.
const dropEvery = 256

// budgets measures the reads of lookups within each budget. The store's memory is part of it, and
// what it leaves is page cache.
func (m *measurement) budgets(row *record.StateRow, k kind, seed uint64, memory int64) error {
	memory += m.droppedCaches()
	warmup := m.fill()
	var found *counter.Cold
	var unseen bool
	for _, share := range m.Shares {
		b := record.StateBudget{Share: share, Bytes: int64(share * float64(m.record.DiskBytes)), MemoryBytes: &memory}
		pages := b.Bytes - memory
		if pages < loopdisk.Block {
			row.Budgets = append(row.Budgets, b)
			continue
		}
		if found == nil {
			var err error
			if found, unseen, err = m.recordPages(warmup, k, seed); err != nil {
				return err
			}
		}
		b.Warmup, b.LRU = warmup, new(perLookup(found.Simulate(cachesim.NewLRU(pages), warmup)))
		// Caches that have to be dropped would grow.
		if !m.drops() && row.Cold.Cached > cachedAtLeast && pages >= counter.LeastLimit {
			l := m.lookups(k, warmup+m.rounds(warmup), seed)
			kernel, err := m.workspace.counter.Within(pages, len(l.numbers), warmup, l.doing("within a budget"))
			if err != nil {
				return err
			}
			b.Kernel, b.MachineReclaimed = new(perLookup(kernel.Reads)), &kernel.Reclaimed
			if unseen {
				b.ActiveBytes, b.Linux = &kernel.Active, new(perLookup(found.Simulate(cachesim.NewLinuxUnseen(pages, kernel.Active), warmup)))
			}
		}
		row.Budgets = append(row.Budgets, b)
	}
	return nil
}

// recordPages records the pages of lookups, and says whether the kernel ignores accesses to them. In that
// case its page cache evicts in rounds, and as many lookups are recorded as are counted with it.
func (m *measurement) recordPages(warmup int, k kind, seed uint64) (found *counter.Cold, unseen bool, err error) {
	if unseen, err = m.workspace.counter.Unseen(); err != nil {
		return nil, false, err
	}
	n := m.Lookups
	if unseen {
		n = m.rounds(warmup)
	}
	l := m.lookups(k, warmup+n, seed)
	if found, err = m.workspace.counter.Cold(len(l.numbers), m.dropping(dropEvery), l.doing("recording pages")); err != nil {
		return nil, false, err
	}
	m.check(k.name, found.Checks())
	return found, unseen, nil
}

// rounds is the number of lookups that are counted of a cache that may evict in rounds. A cache that
// evicts in the order of reading evicts pages in use too, most of them when it is first full, since
// they were read first, and again each time all pages have been replaced. So two such rounds are counted.
func (m *measurement) rounds(warmup int) int { return max(m.Lookups, 2*warmup) }

// cachedAtLeast is the share of bytes that must go through the page cache for the kernel's
// own figure to mean anything.
const cachedAtLeast = 0.99

func perLookup(r counter.Reads) record.StateReads {
	return record.StateReads{Lookups: int(r.Lookups), Reads: r.PerLookup(), Bytes: float64(r.Bytes) / float64(max(r.Lookups, 1))}
}

// droppedCaches is the size of the caches that were empty when memory was measured, and that
// lookups fill with a budget of 0.
func (m *measurement) droppedCaches() (bytes int64) {
	for _, c := range m.configuration.Caches {
		if !c.Stays {
			bytes += int64(c.Least)
		}
	}
	return bytes
}

// fill is the number of lookups that fill the largest budget. A fifth is added to allow for chance.
func (m *measurement) fill() int {
	return int(1.2 * counter.Filling(float64(m.record.DiskBytes)/loopdisk.Block, slices.Max(m.Shares)))
}
