package replay

import (
	"math"

	"getio/lsm"
	"getio/readpath"
)

// Profile is how the records of tables lie in their data blocks, as Gets of records
// drawn evenly find them: a record that takes a hundredth of its block stands for
// a hundredth of a block, one that fills it for a whole one. That takes neighbours
// to be about as large as each other.
type Profile struct {
	tables map[uint64]*profile // by file
}

func newProfile() Profile { return Profile{tables: map[uint64]*profile{}} }

// kinds of blocks are told apart by how many records they hold, in powers of two.
const kinds = 12

// profile is of one table, or of several.
type profile struct {
	records [kinds]float64 // found
	blocks  [kinds]float64 // that these stand for
	bytes   [kinds]float64 // of those
}

// recordOverhead is what a record takes in a block beside its key and value:
// sequence number, lengths, its share of restarts, less what its key shares.
const recordOverhead = 8

// add takes note of the block in which a Get found its record.
func (p *Profile) add(g Get) {
	if g.RecordBytes == 0 || len(g.Accesses) == 0 {
		return
	}
	a := g.Accesses[len(g.Accesses)-1]
	if a.Component != readpath.Data {
		return
	}
	of := p.tables[a.File]
	if of == nil {
		of = &profile{}
		p.tables[a.File] = of
	}
	held := math.Max(float64(a.Size)/float64(g.RecordBytes+recordOverhead), 1)
	kind := min(int(math.Round(math.Log2(held))), kinds-1)
	of.records[kind]++
	of.blocks[kind] += 1 / held
	of.bytes[kind] += float64(a.Size) / held
}

// enough records of a table tell how its blocks differ; many how often it is asked.
const enough, many = 200, 1000

// Segments is the profile of a table, or, if too few of its records were found,
// that of all tables of the given files, as those of its level. It is nil if these
// do not tell either.
func (p *Profile) Segments(file uint64, level []lsm.Table) []lsm.Segment {
	if of := p.tables[file]; of != nil && of.found() >= enough {
		return of.segments()
	}
	var all profile
	for _, t := range level {
		if of := p.tables[t.File]; of != nil {
			all.add(of)
		}
	}
	if all.found() < enough {
		return nil
	}
	return all.segments()
}

// Weight is by which factor more often the Gets found their records in a table than
// its part of all records lets expect; if too few did, the factor of all tables of
// its level. It is 1 if these do not tell either.
func (p *Profile) Weight(t lsm.Table, level []lsm.Table, records int64) float64 {
	all := 0.0
	for _, of := range p.tables {
		all += of.found()
	}
	factor := func(found float64, of int64) float64 { return found / all * float64(records) / float64(of) }
	if of := p.tables[t.File]; of != nil && of.found() >= many {
		return factor(of.found(), t.Records)
	}
	var found float64
	var inLevel int64
	for _, t := range level {
		inLevel += t.Records
		if of := p.tables[t.File]; of != nil {
			found += of.found()
		}
	}
	if found < enough || inLevel == 0 {
		return 1
	}
	return factor(found, inLevel)
}

func (p *profile) found() float64 { return total(p.records) }

func (p *profile) add(q *profile) {
	for i := range p.records {
		p.records[i] += q.records[i]
		p.blocks[i] += q.blocks[i]
		p.bytes[i] += q.bytes[i]
	}
}

func (p *profile) segments() (list []lsm.Segment) {
	records, blocks, bytes := total(p.records), total(p.blocks), total(p.bytes)
	for i, n := range p.records {
		if n > 0 {
			list = append(list, lsm.Segment{Records: n / records, Blocks: p.blocks[i] / blocks, Bytes: p.bytes[i] / bytes})
		}
	}
	return list
}

func total(kinds [kinds]float64) (sum float64) {
	for _, n := range kinds {
		sum += n
	}
	return sum
}
