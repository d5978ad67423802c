package growth

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"getio/engine/lsm"
)

// lastLevel is L6, whose tables cover the key space without gaps.
const lastLevel = lsm.NumLevels - 1

// Shape returns the settled tree that keys random keys, written in random order, grow
// into. Each table has its level, sublevel, bounds (the first 8 bytes of its smallest
// and largest key), number of records and approximate file size.
func Shape(keys uint64, o Options) (*lsm.Shape, error) {
	if err := o.check(keys); err != nil {
		return nil, err
	}
	return o.plan(keys).layOut(o.Seed, o.fill), nil
}

// levelPlan describes one level.
type levelPlan struct {
	records     uint64
	count       int     // of tables
	from, to    float64 // the part of the key space that tables and gaps fill
	arrangement arrangement
}

// plan holds the levelPlan of every level.
type plan [lsm.NumLevels]levelPlan

// layOut draws the tables of every level, whose records are evenly spaced. fill fills in what a table takes.
func (p plan) layOut(seed uint64, fill func(level int, t *lsm.Table)) *lsm.Shape {
	var tables [lsm.NumLevels][]lsm.Table
	for level, t := range p {
		if t.records == 0 {
			continue
		}
		tables[level] = t.tables(newStream(seed, level))
		for i := range tables[level] {
			fill(level, &tables[level][i])
		}
	}
	s := lsm.NewShape(tables)
	s.EvenTables = true
	return s
}

// fill sets a table's approximate file size.
func (o *Options) fill(level int, t *lsm.Table) {
	t.Bytes = int64(math.Round(float64(t.Records) * o.record(level)))
}

// stream draws random numbers, which depend on the seed and level only.
type stream struct{ source *rand.PCG }

func newStream(seed uint64, level int) stream {
	return stream{rand.NewPCG(seed, uint64(level))}
}

func (s stream) uniform() float64 {
	return (float64(s.source.Uint64()>>11) + 0.5) / (1 << 53)
}

// normal returns a normal number with mean 0 and deviation 1 (Box and Muller).
func (s stream) normal() float64 {
	return math.Sqrt(-2*math.Log(s.uniform())) * math.Cos(2*math.Pi*s.uniform())
}

func (s stream) exponential() float64 { return -math.Log(s.uniform()) }

const mib = 1 << 20

// Options holds the parameters of a natural tree, besides its number of keys.
type Options struct {
	// UpperRecord and LastRecord are the bytes of a record in a table file above L6 and in L6,
	// including its share of index and filter. They differ if values compress: records of L6 have
	// sequence number zero, whose zeros compress and make Snappy try harder on what follows.
	UpperRecord, LastRecord float64
	// RawRecord is the bytes of a key and its value, uncompressed.
	RawRecord int64

	LBaseMaxBytes int64
	// TargetFileSize is indexed as in Pebble: 0 is L0, 1 the base level, 2 the level below it.
	TargetFileSize [7]int64
	MemTableSize   int64

	Seed uint64
}

// BenchKVDB returns the options of the published study: keys of 32 bytes, a pool of 32
// values of 110 bytes, and the sizes of the presets. Bytes per record are from natural
// loads of 20M keys (see testdata).
func BenchKVDB() Options {
	return Options{
		UpperRecord:    143.5,
		LastRecord:     117.6,
		RawRecord:      142,
		LBaseMaxBytes:  64 * mib,
		TargetFileSize: [7]int64{2 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib, 128 * mib},
		MemTableSize:   128 * mib,
	}
}

// MaxKeys is the maximum number of keys. More would be too dense for bounds of 64 bits.
const MaxKeys = 100_000_000_000

// record returns the bytes of a record in a table file of a level.
func (o *Options) record(level int) float64 {
	if level == lastLevel {
		return o.LastRecord
	}
	return o.UpperRecord
}

func (o *Options) check(keys uint64) error {
	switch {
	case keys == 0 || keys > MaxKeys:
		return fmt.Errorf("no tree of %d keys: give 1 to %d", keys, uint64(MaxKeys))
	case !(o.UpperRecord > 0) || !(o.LastRecord > 0) || o.RawRecord <= 0:
		return errors.New("growth options lack the bytes of a record: set UpperRecord, LastRecord and RawRecord")
	case o.LBaseMaxBytes <= 0 || o.MemTableSize <= 0:
		return errors.New("growth options lack LBaseMaxBytes or MemTableSize: take them from the engine's configuration")
	}
	for i, size := range o.TargetFileSize {
		if size <= 0 {
			return fmt.Errorf("growth options have no TargetFileSize[%d]: take all seven from the engine's configuration", i)
		}
	}
	return nil
}
