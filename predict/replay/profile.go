package replay

import (
	"math"

	"getio/tree/lsm"
	"getio/tree/readpath"
)

// Profile describes how records lie in data blocks, by table, as Gets of evenly drawn records
// find them: a record that takes a hundredth of its block counts as a hundredth of a block. It
// assumes that neighbouring records are about equally large.
type Profile struct {
	tables map[uint64]*profile // by file
}

func newProfile() Profile { return Profile{tables: map[uint64]*profile{}} }

// kinds is the number of kinds of blocks: by their records, in powers of two.
const kinds = 12

// profile describes one table or several.
type profile struct {
	records [kinds]float64 // found
	blocks  [kinds]float64 // that these count as
	bytes   [kinds]float64 // of those
}

// recordOverhead is the bytes that a record takes in a block beside its key and value: sequence
// number, lengths, its share of the restarts, minus the shared prefix of its key.
const recordOverhead = 8

// add adds the block in which a Get found its record.
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

// enough records found in a table show how its blocks differ; many, how often it is found in.
const enough, many = 200, 1000

// Levels is the profile of a tree by table and level. A table with too few records found is
// described by its level.
type Levels struct {
	profile *Profile
	levels  map[int]*levelProfile
	found   float64 // by all Gets
	records float64 // of all tables
}

type levelProfile struct {
	profile
	records, blocks float64 // of its tables
}

// like reports whether a table has about as many records per block as its level.
func (l *levelProfile) like(t lsm.Table) bool {
	const most = 2
	ratio := float64(t.Records) / float64(t.DataBlocks) / (l.records / l.blocks)
	return ratio < most && ratio > 1.0/most
}

// Levels returns the profile of a shape's tables and levels.
func (p *Profile) Levels(s *lsm.Shape) *Levels {
	l := &Levels{profile: p, levels: map[int]*levelProfile{}}
	for _, level := range s.Levels {
		sum := &levelProfile{records: float64(level.Records), blocks: float64(level.DataBlocks)}
		for _, t := range level.TableList {
			if of := p.tables[t.File]; of != nil {
				sum.add(of)
			}
		}
		l.levels[level.Level] = sum
		l.found += sum.found()
		l.records += sum.records
	}
	return l
}

// Segments returns the kinds of a table's data blocks or, if too few of its records were found,
// those of its level. It is nil if too few were found there too, or if the table is unlike its
// level.
func (l *Levels) Segments(level int, t lsm.Table) []lsm.Segment {
	if of := l.profile.tables[t.File]; of != nil && of.found() >= enough {
		return of.segments()
	}
	if of := l.levels[level]; of != nil && of.found() >= enough && of.like(t) {
		return of.segments()
	}
	return nil
}

// Weight returns how often Gets found their records in a table, relative to its share of all
// records. If too few did, it returns that of its level, and 1 if too few did there too.
func (l *Levels) Weight(level int, t lsm.Table) float64 {
	factor := func(found, records float64) float64 { return found / l.found * l.records / records }
	if of := l.profile.tables[t.File]; of != nil && of.found() >= many {
		return factor(of.found(), float64(t.Records))
	}
	if of := l.levels[level]; of != nil && of.found() >= enough {
		return factor(of.found(), of.records)
	}
	return 1
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
	records, blocks := total(p.records), total(p.blocks)
	for i, n := range p.records {
		if n > 0 {
			list = append(list, lsm.Segment{Records: n / records, Blocks: p.blocks[i] / blocks, BlockBytes: p.bytes[i] / p.blocks[i]})
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
