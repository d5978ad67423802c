package catalog

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"path/filepath"
	"sort"

	"getio/engine"
	"getio/engine/failure"
)

// ErrNoLiveRecord is the error of a database from which no key can be drawn.
var ErrNoLiveRecord = errors.New("the tables hold (almost) no records that set a key: name keys with --keys-file")

// Sampler draws keys uniformly from the records of a tree's tables.
//
// A table is drawn by its records, then one of its data blocks, then one of as many slots
// as its fullest blocks have records. An empty slot, or a record outside the bounds of a
// virtual table, means drawing a block of the table again, so that every record of a table
// has the same chance. If tables do not record how many records they have, a block is
// drawn from all blocks of the tree instead, and drawn again in the same way.
//
// How full the fullest blocks are is probed on some blocks. Records of a block that is
// fuller than those are drawn less often.
type Sampler struct {
	tables    []*sampledTable
	byRecords bool     // tables are drawn by their records, not by their data blocks
	upTo      []uint64 // upTo[i] records, or data blocks, are in tables[0..i]
	slots     uint64   // of all data blocks, if not byRecords
	ranges    ranges
}

const (
	probesOfTable = 64  // data blocks of a table whose records are counted first
	probesOfTree  = 256 // the same, of a tree whose tables do not record their records
	// maxRejections limits the draws for one key. Only a tree of almost nothing but
	// deletions reaches it.
	maxRejections = 1 << 20
	// maxTableRejections limits the draws from one table in a row. Only a virtual table
	// with almost nothing of its file reaches it.
	maxTableRejections = 1 << 17
)

var _ engine.Sampler = (*Sampler)(nil)

func newSampler(tables []Table, remember bool) (*Sampler, error) {
	s := &Sampler{byRecords: true}
	division := make([]divided, len(tables))
	var records, blocks []uint64 // cumulative
	for i, t := range tables {
		ref, dataBlocks := &t.tail().Ref, t.DataBlocks()
		n, known := t.Records()
		s.byRecords = s.byRecords && known
		records, blocks = appendSum(records, n), appendSum(blocks, dataBlocks)
		division[i] = divided{level: ref.Level, smallest: ref.Smallest, largest: ref.Largest, dataBlocks: dataBlocks, ranges: dataBlocks}
		if ref.Virtual {
			division[i].ranges = min(dataBlocks, 1)
		}
		s.tables = append(s.tables, &sampledTable{Table: t, remember: remember})
	}
	s.ranges = newRanges(division)
	if s.upTo = records; !s.byRecords {
		s.upTo = blocks
	}
	if len(s.upTo) == 0 || s.total() == 0 {
		return nil, ErrNoLiveRecord
	}
	if s.byRecords {
		return s, nil
	}
	if err := s.probe(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func appendSum(sums []uint64, n uint64) []uint64 {
	if len(sums) > 0 {
		n += sums[len(sums)-1]
	}
	return append(sums, n)
}

// total is the number of records, or of data blocks.
func (s *Sampler) total() uint64 { return s.upTo[len(s.upTo)-1] }

// locate finds the table of record or data block n, and its number in the table.
func (s *Sampler) locate(n uint64) (table int, rest uint64) {
	table = sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] > n })
	if table > 0 {
		n -= s.upTo[table-1]
	}
	return table, n
}

// probe counts the records of some of the tree's data blocks.
func (s *Sampler) probe() error {
	probes := min(s.total(), probesOfTree)
	for p := range probes {
		table, n := s.locate(p * s.total() / probes)
		err := s.inTable(table, func(t *openTable) error {
			records, err := t.count(n)
			s.slots = max(s.slots, records)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Draw implements engine.Sampler.
func (s *Sampler) Draw(rand func() uint64, dst []byte) (key []byte, err error) {
	for range maxRejections {
		table, block := s.locate(below(rand(), s.total()))
		found := emptySlot
		err := s.inTable(table, func(t *openTable) (err error) {
			if !s.byRecords {
				key, found, err = t.draw(block, rand(), s.slots, dst)
				return err
			}
			for tries := 0; tries < maxTableRejections && found == emptySlot && err == nil; tries++ {
				n := below(rand(), t.index.Len())
				key, found, err = t.draw(n, rand(), t.slots, dst)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if found == Sets {
			return key, nil
		}
	}
	return nil, ErrNoLiveRecord
}

// Ranges implements engine.Sampler.
func (s *Sampler) Ranges() uint64 { return s.ranges.count() }

// Range implements engine.Sampler.
func (s *Sampler) Range(n uint64) (first, last []byte, err error) {
	return s.ranges.get(n, s.blockStart)
}

// BlockStarts implements engine.Sampler.
func (s *Sampler) BlockStarts(each func(key []byte) error) error {
	return s.ranges.starts(s.blockStart, each)
}

func (s *Sampler) blockStart(table int, block uint64) (key []byte, err error) {
	err = s.inTable(table, func(t *openTable) error {
		key, err = t.index.Start(t.file, block)
		return err
	})
	return key, err
}

// inTable calls do with a table, open and prepared.
func (s *Sampler) inTable(i int, do func(*openTable) error) error {
	t := s.tables[i]
	o, err := t.open()
	if err == nil {
		err = do(o)
		if o.file != t.file {
			o.file.Close()
		}
	}
	if err != nil {
		path := t.tail().Ref.Path
		return failure.Read(filepath.Dir(path), fmt.Errorf("table %s cannot be sampled: %w", path, err))
	}
	return nil
}

// Close implements engine.Sampler.
func (s *Sampler) Close() (err error) {
	for _, t := range s.tables {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
			t.file = nil
		}
	}
	return err
}

// File is a table's file, open for reading. It is safe for concurrent use.
type File interface {
	io.ReaderAt
	io.Closer
}

// below maps a random number to [0,n).
func below(r, n uint64) uint64 {
	hi, _ := bits.Mul64(r, n)
	return hi
}
