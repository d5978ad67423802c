package statedb

import (
	"getio/system/machine"
	"getio/workload/dataset"
)

// otherMemory is what getio and an adapter take besides caches and what the store keeps of each key.
const otherMemory = 256 << 20

// Memory is what measuring a store is expected to need: as was measured of stores that getio knows, and of others
// the caches of the load, and what the adapter says of itself.
func (p *Plan) Memory(s Store, a *Adapter) int64 {
	m := s.Memory
	if m == (Memory{}) {
		m = Memory{Bytes: machine.CacheMemory(loadCacheBytes) + otherMemory, PerKey: a.MemoryPerKey}
		for _, c := range a.Caches {
			m.Bytes += int64(c.Least)
		}
	}
	if len(p.Overwrite) > 0 {
		m.PerKey += 1. / 8 // which keys were overwritten
	}
	return m.Bytes + int64(m.PerKey*float64(p.Keys))
}

// Disk is the size of a store's private disk: what the user wants, or what the store takes
// while it is loaded and its largest file is rewritten. Unknown stores get eight times their
// records, which is enough for most that keep hashes of all nodes.
func (p *Plan) Disk(s Store) int64 {
	if p.Place.Bytes > 0 {
		return p.Place.Bytes
	}
	perKey := s.DiskPerKey
	if perKey == 0 {
		perKey = 8 * int64(dataset.KeySize+p.ValueSize)
	}
	for _, share := range p.Overwrite {
		perKey += int64(share * float64(perKey)) // old versions may stay
	}
	return int64(p.Keys)*perKey + leastDisk
}

// leastDisk is the size of the private disk of a store that is almost empty. Tests reduce it.
var leastDisk int64 = 1 << 30
