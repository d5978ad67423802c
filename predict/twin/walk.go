package twin

import "getio/tree/readpath"

// Access is a Get's access of a block.
type Access struct {
	Block     uint64
	Size      uint32 // in the cache, in bytes
	Component readpath.Component
	hash      uint64 // decides on the shard
}

// Existing appends the accesses of a Get that finds a record. Records are numbered table by table.
func (t *Tree) Existing(dst []Access, record uint64, random *Random) []Access {
	target := t.tableOf(record)
	p := &t.tables[target]
	// The record's place in its table, and the key at this place.
	place := (float64(record-t.before[target]) + random.Float64()) / float64(t.before[target+1]-t.before[target])
	key := p.keyAt(place)
	for i := range t.runs[:p.run] {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	dst = t.open(dst, p)
	return t.probe(dst, p, place)
}

// Absent appends the accesses of a Get of an absent key in the table of the given record.
func (t *Tree) Absent(dst []Access, record uint64, random *Random) []Access {
	p := &t.tables[t.tableOf(record)]
	key := p.keyAt(random.Float64())
	for i := range t.runs {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	return dst
}

// visit appends a Get's accesses in a run that does not hold its key: in the first table whose
// last key is at or beyond it.
func (t *Tree) visit(dst []Access, r *run, key uint64, random *Random) []Access {
	tables := t.tables[r.from:r.to]
	at := r.ends.first(key)
	if at == len(tables) {
		return dst
	}
	p := &tables[at]
	place := 0.0
	if key > p.lo {
		place = p.placeOf(key)
	} else if t.opts.Library.SkipsByBounds {
		return dst
	}
	dst = t.open(dst, p)
	if p.filterSize > 0 && random.Float64() >= p.falsePositive {
		return dst
	}
	if key <= p.lo {
		return t.probe(dst, p, place)
	}
	return t.miss(dst, p, place, random)
}

// access returns an access of a block. If hash is 0, the shard is random.
func access(block uint64, size uint32, c readpath.Component, hash uint64) Access {
	if hash == 0 {
		random := Random{block}
		hash = random.Uint64()
	}
	return Access{Block: block, Size: size, Component: c, hash: hash}
}

// open accesses a table's top index and, if Gets consult it, its filter.
func (t *Tree) open(dst []Access, p *table) []Access {
	dst = append(dst, access(p.first+topBlock, p.topSize, readpath.TopIndex, p.topHash))
	if p.filterSize > 0 {
		dst = append(dst, access(p.first+filterBlock, p.filterSize, readpath.Filter, p.filterHash))
	}
	return dst
}

// probe accesses the index block and the data block at a place of a table.
func (t *Tree) probe(dst []Access, p *table, place float64) []Access {
	block, size := p.block(place)
	return t.read(dst, p, block, size)
}

// miss accesses the blocks in which an absent key at a place is looked up: also the next data
// block if the key lies beyond the last key of its own.
func (t *Tree) miss(dst []Access, p *table, place float64, random *Random) []Access {
	block, size := p.block(place)
	dst = t.read(dst, p, block, size)
	if p.pastLast == 0 || block+1 == p.data || random.Float64() >= p.pastLast {
		return dst
	}
	if p.index > 0 && block*p.index/p.data == (block+1)*p.index/p.data {
		return append(dst, t.data(p, block+1, size))
	}
	return t.read(dst, p, block+1, size)
}

// read accesses a data block and its index block.
func (t *Tree) read(dst []Access, p *table, block uint64, size uint32) []Access {
	if p.index > 0 {
		dst = append(dst, access(p.first+indexBlock+block*p.index/p.data, p.indexSize, readpath.Index, 0))
	}
	return append(dst, t.data(p, block, size))
}

func (t *Tree) data(p *table, block uint64, size uint32) Access {
	return access(p.first+indexBlock+p.index+block, size, readpath.Data, 0)
}
