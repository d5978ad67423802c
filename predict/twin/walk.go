package twin

import (
	"getio/engine/readpath"
	"getio/numbers/wyrand"
)

// Access is a Get's access of a block.
type Access struct {
	Block     uint64
	Size      uint32 // in the cache, in bytes
	bytes     uint32 // uncompressed
	stored    uint32 // in its file
	Component readpath.Component
	found     bool // it is the data block that contains the Get's key
	table     uint32
	hash      uint64 // decides on the shard
}

// Existing appends the accesses of a Get that finds a record. Records are numbered table by table.
func (t *Tree) Existing(dst []Access, record uint64, random *wyrand.Random) []Access {
	target := t.tableOf(record)
	p := &t.tables[target]
	// The record's place in its table, and the key at this place.
	place := (float64(record-t.before[target]) + random.Float64()) / float64(t.before[target+1]-t.before[target])
	key := p.keyAt(place)
	for i := range p.run {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	return t.goOn(t.find(dst, p, place), p.run, key, random)
}

// goOn appends the accesses of a Get in the runs that it visits after it has found its key's newest record in a run.
func (t *Tree) goOn(dst []Access, of int, key uint64, random *wyrand.Random) []Access {
	ends := 0.0 // of Gets by how far they go on, this one's place
	for i := of + 1; i < len(t.runs); i++ {
		f := t.runs[of].older[i]
		if f.visits == 0 {
			break
		}
		q := t.at(&t.runs[i], key)
		f = f.at(q)
		if ends == 0 && f.visits > 0 && f.visits < 1 {
			ends = random.Float64()
		}
		if f.visits <= ends {
			break
		}
		if q != nil && q.data > 0 && random.Float64()*f.visits < f.finds {
			dst = t.find(dst, q, q.placeOf(key))
		} else {
			dst = t.visit(dst, &t.runs[i], key, random)
		}
	}
	return dst
}

// find appends a Get's accesses in a table that has its key at a place.
func (t *Tree) find(dst []Access, p *table, place float64) []Access {
	dst, _ = t.consult(dst, p, place, nil)
	dst = t.probe(dst, p, place)
	dst[len(dst)-1].found = true
	return dst
}

// Absent appends the accesses of a Get of an absent key in the table of the given record.
func (t *Tree) Absent(dst []Access, record uint64, random *wyrand.Random) []Access {
	p := &t.tables[t.tableOf(record)]
	key := p.keyAt(random.Float64())
	for i := range t.runs {
		dst = t.visit(dst, &t.runs[i], key, random)
	}
	return dst
}

// visit appends a Get's accesses in a run that does not hold its key: in the first table whose
// last key is at or beyond it.
func (t *Tree) visit(dst []Access, r *run, key uint64, random *wyrand.Random) []Access {
	n := r.first(key)
	if n == r.to {
		return dst
	}
	p := &t.tables[n]
	place := 0.0
	if key > p.lo {
		place = p.placeOf(key)
	} else if t.opts.Library.SkipsByBounds {
		return dst
	}
	dst, ruledOut := t.consult(dst, p, place, random)
	if ruledOut {
		return dst
	}
	if key <= p.lo {
		return t.probe(dst, p, place)
	}
	return t.miss(dst, p, place, random)
}

// access returns an access of a table's block, of which n is the number there. If hash is 0, the
// shard is random.
func (p *table) access(n uint64, size blockSize, c readpath.Component, hash uint64) Access {
	block := p.first + n
	if hash == 0 {
		random := wyrand.New(block)
		hash = random.Uint64()
	}
	return Access{Block: block, Size: size.size, bytes: size.bytes, stored: size.stored, Component: c, table: p.number, hash: hash}
}

// consult accesses what a Get looks up in a table to see whether it may hold the key: range deletions, top index and
// filter. A table that lacks the key is ruled out, unless random makes its filter err; without
// random, the table has the key.
func (t *Tree) consult(dst []Access, p *table, place float64, random *wyrand.Random) (_ []Access, ruledOut bool) {
	if p.rangeDeletions.bytes > 0 {
		dst = append(dst, p.access(p.rangeDeletionBlock(), p.rangeDeletions, readpath.Other, p.rangeDeletionHash))
	}
	if !t.opts.Library.FiltersFirst {
		dst = t.accessTop(dst, p)
	}
	if p.filtered() {
		dst = t.accessFilter(dst, p, place)
		ruledOut = random != nil && random.Float64() >= p.falsePositive
	}
	if t.opts.Library.FiltersFirst && !ruledOut {
		dst = t.accessTop(dst, p)
	}
	return dst, ruledOut || p.data == 0
}

func (t *Tree) accessTop(dst []Access, p *table) []Access {
	if t.opts.Library.MetadataOutside {
		return dst
	}
	return append(dst, p.access(topBlock, p.top, readpath.TopIndex, p.topHash))
}

func (t *Tree) accessFilter(dst []Access, p *table, place float64) []Access {
	if !t.opts.Library.MetadataOutside {
		dst = append(dst, p.access(filterBlock, p.filter, readpath.Filter, p.filterHash))
	}
	if p.partitions > 0 {
		at := min(uint64(place*float64(p.partitions)), p.partitions-1)
		dst = append(dst, p.access(indexBlock+p.index+p.data+at, p.partition, readpath.Filter, 0))
	}
	return dst
}

// probe accesses the index block and the data block at a place of a table.
func (t *Tree) probe(dst []Access, p *table, place float64) []Access {
	block, size := p.block(place, true)
	return t.read(dst, p, block, size)
}

// miss accesses the blocks in which an absent key at a place is looked up: also the next data
// block if the key lies beyond the last key of its own.
func (t *Tree) miss(dst []Access, p *table, place float64, random *wyrand.Random) []Access {
	block, size := p.block(place, false)
	dst = t.read(dst, p, block, size)
	if p.pastLast == 0 || block+1 == p.data || random.Float64() >= p.pastLast {
		return dst
	}
	size.stored = p.segmentOf(block + 1).stored
	if p.index > 0 && block*p.index/p.data == (block+1)*p.index/p.data {
		return append(dst, p.dataAccess(block+1, size))
	}
	return t.read(dst, p, block+1, size)
}

// read accesses a data block and its index block.
func (t *Tree) read(dst []Access, p *table, block uint64, size blockSize) []Access {
	if p.index > 0 {
		dst = append(dst, p.access(indexBlock+block*p.index/p.data, p.indexes, readpath.Index, 0))
	}
	return append(dst, p.dataAccess(block, size))
}

func (p *table) dataAccess(block uint64, size blockSize) Access {
	return p.access(indexBlock+p.index+block, size, readpath.Data, 0)
}
