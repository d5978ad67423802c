package twin

import "getio/tree/readpath"

// Access is a block that a Get asks for.
type Access struct {
	Block     uint64
	Size      uint32 // in the cache, in bytes
	Component readpath.Component
	hash      uint64 // decides on the shard
}

// Existing appends the accesses of a Get of a record that is there, by its
// number: records are numbered table by table.
func (t *Tree) Existing(dst []Access, record uint64, random *Random) []Access {
	target := t.search.first(t.before[1:], record+1)
	p := &t.tables[target]
	// The record's place in its table, as a share, and the key that lies there.
	place := (float64(record-t.before[target]) + random.Float64()) / float64(t.before[target+1]-t.before[target])
	key := p.keyAt(place)
	for i := range t.runs[:p.run] {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	dst = t.open(dst, p)
	return t.probe(dst, p, place)
}

// Absent appends the accesses of a Get of a key that no table has, near an
// existing record.
func (t *Tree) Absent(dst []Access, record uint64, random *Random) []Access {
	p := &t.tables[t.search.first(t.before[1:], record+1)]
	key := p.keyAt(random.Float64())
	for i := range t.runs {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	return dst
}

// visit is a Get's visit of a run that does not have its key: of the first table
// that ends at or behind it.
func (t *Tree) visit(dst []Access, r *run, key uint64, random *Random) []Access {
	tables := t.tables[r.from:r.to]
	at := r.search.firstTable(tables, key)
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

// access is an access of a block whose shard the hash decides on; one of 0 lets it
// be in any.
func access(block uint64, size uint32, c readpath.Component, hash uint64) Access {
	if hash == 0 {
		random := Random{block}
		hash = random.Uint64()
	}
	return Access{Block: block, Size: size, Component: c, hash: hash}
}

// open asks for a table's top index and, where Gets consult one, its filter.
func (t *Tree) open(dst []Access, p *table) []Access {
	dst = append(dst, access(p.first+topBlock, p.topSize, readpath.TopIndex, p.topHash))
	if p.filterSize > 0 {
		dst = append(dst, access(p.first+filterBlock, p.filterSize, readpath.Filter, p.filterHash))
	}
	return dst
}

// probe asks for the index block and the data block at a place of a table.
func (t *Tree) probe(dst []Access, p *table, place float64) []Access {
	block, size := p.block(place)
	return t.read(dst, p, block, size)
}

// miss asks for what leads to a place of a table that has no key: the next data
// block too if the place is behind the last key of its own.
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

// read asks for a data block, and for the index block that leads to it.
func (t *Tree) read(dst []Access, p *table, block uint64, size uint32) []Access {
	if p.index > 0 {
		dst = append(dst, access(p.first+indexBlock+block*p.index/p.data, p.indexSize, readpath.Index, 0))
	}
	return append(dst, t.data(p, block, size))
}

func (t *Tree) data(p *table, block uint64, size uint32) Access {
	return access(p.first+indexBlock+p.index+block, size, readpath.Data, 0)
}
