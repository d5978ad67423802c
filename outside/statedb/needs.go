package statedb

import (
	"getio/dataset"
	"getio/system/machine"
)

// processMemory is what getio and an adapter take besides caches, write buffers and indexes of all keys.
// XX
const processMemory = 256 << 20

// Memory is what a store is expected to need while it is measured, with getio itself and without the page cache.
func (p *Plan) Memory(a *Adapter) int64 {
	bytes := machine.CacheMemory(loadCacheBytes) + processMemory + int64(a.MemoryPerKey*float64(p.Keys))
	for _, c := range a.Caches {
		bytes += int64(c.Least)
	}
	if len(p.Overwrite) > 0 {
		bytes += int64(p.Keys / 8) // which keys were overwritten
	}
	return bytes
}

// Disk is what a store is expected to take where it is measured: its private disk or, if reads are counted
// inside, its directory.
func (p *Plan) Disk(s Store) int64 {
	if p.outside() {
		return p.diskBytes(s)
	}
	return int64(p.Keys) * p.diskPerKey(s)
}

// diskBytes is the size of a store's private disk: what the user wants, or what the store takes
// while it is loaded and its largest file is rewritten.
func (p *Plan) diskBytes(s Store) int64 {
	if p.Place.Bytes > 0 {
		return p.Place.Bytes
	}
	return int64(p.Keys)*p.diskPerKey(s) + leastDisk
}

// diskPerKey is what a store takes per key. Unknown stores get eight times their records, which is enough for
// most that keep hashes of all nodes.
func (p *Plan) diskPerKey(s Store) int64 {
	perKey := s.DiskPerKey
	if perKey == 0 {
		perKey = 8 * int64(dataset.KeySize+p.ValueSize)
	}
	for _, share := range p.Overwrite {
		perKey += int64(share * float64(perKey)) // old versions may stay
	}
	return perKey
}

// leastDisk is the size of the private disk of a store that is almost empty. Tests reduce it.
var leastDisk int64 = 1 << 30
