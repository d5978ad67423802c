package catalog

import (
	"bytes"
	"context"
	"errors"
	"math/bits"
	"sort"

	"getio/engine"
	"getio/engine/filelimit"
)

// ErrNoLiveRecord is the error of a database from which no key can be drawn.
var ErrNoLiveRecord = errors.New("the tables hold (almost) no records that set a key: name keys with --keys-file")

// Sampler draws keys uniformly from a tree's tables and from the write-ahead log. It draws a record, all
// records alike, and draws again unless that is the newest one of its key and sets it.
//
// A table is drawn by the records of its file, then one of its data blocks, then one of as many slots
// as its fullest blocks have records. An empty slot means drawing a block of the table again, so that
// every record of a table has the same chance. A record outside the bounds of a virtual table means
// drawing a table again. If tables do not record how many records they have, a block is
// drawn from all blocks of the tree instead, and drawn again in the same way. The log is one
// more table, of the newest record of each of its keys.
//
// How full the fullest blocks are is probed on some blocks. Records of a block that is
// fuller than those are drawn less often.
type Sampler struct {
	tables    []*sampledTable
	log       [][]byte // keys that the log sets, in order
	byRecords bool     // tables are drawn by their records, not by their data blocks
	upTo      []uint64 // upTo[i] records, or data blocks, are in tables[0..i] and, last, in the log
	slots     uint64   // of all data blocks, if not byRecords
	ranges    ranges
}

const (
	probesOfTable = 64   // data blocks of a table whose records are counted first
	probesOfTree  = 4096 // the same, of a tree whose tables do not record their records
	// maxRejections limits the records in a row that no key is taken from. Only a tree of almost nothing
	// but deletions, or of deleted keys, reaches it.
	maxRejections = 1 << 20
)

var _ engine.Sampler = (*Sampler)(nil)

func newSampler(tables []Table, log [][]byte, remember bool) (*Sampler, error) {
	s := &Sampler{byRecords: true, log: log}
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
		s.upTo, s.slots = blocks, 1
		if err := s.probe(); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.upTo = appendSum(s.upTo, s.logUnits())
	if s.total() == 0 {
		return nil, ErrNoLiveRecord
	}
	return s, nil
}

// logUnits is how many records, or data blocks of as many records as there are slots, the log stands for.
func (s *Sampler) logUnits() uint64 {
	keys := uint64(len(s.log))
	if s.byRecords {
		return keys
	}
	return (keys + s.slots - 1) / s.slots
}

func appendSum(sums []uint64, n uint64) []uint64 {
	if len(sums) > 0 {
		n += sums[len(sums)-1]
	}
	return append(sums, n)
}

// total is the number of records, or of data blocks.
func (s *Sampler) total() uint64 { return s.upTo[len(s.upTo)-1] }

// locate finds the table of record, data block or range n, and its number in the table. upTo[i] of them are in tables up
// to i; what is in the log comes behind the tables.
func locate(upTo []uint64, n uint64) (table int, rest uint64) {
	table = sort.Search(len(upTo), func(i int) bool { return upTo[i] > n })
	if table > 0 {
		n -= upTo[table-1]
	}
	return table, n
}

// probe counts the records of some of the tree's data blocks.
func (s *Sampler) probe() error {
	probes := min(s.total(), probesOfTree)
	for p := range probes {
		table, n := locate(s.upTo, p*s.total()/probes)
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

// record is a record that sets its key, the newest one of the key in its table.
type record struct {
	key   []byte
	table int // index in Sampler.tables; behind them for the log
}

func (s *Sampler) Draw(ctx context.Context, rands []func() uint64) (keys [][]byte, err error) {
	keys = make([][]byte, len(rands))
	left := make([]int, len(rands)) // keys to be drawn
	for i := range left {
		left[i] = i
	}
	for rejected := 0; len(left) > 0; {
		drawn := make([]record, len(left))
		err := filelimit.Each(ctx, len(left), func(i int) (err error) {
			drawn[i], err = s.draw(rands[left[i]])
			return err
		})
		if err != nil {
			return nil, err
		}
		outdated, err := s.outdated(ctx, drawn)
		if err != nil {
			return nil, err
		}
		again := left[:0]
		for i, at := range left {
			if outdated[i] {
				again = append(again, at)
			} else {
				keys[at] = drawn[i].key
			}
		}
		if rejected += len(again); len(again) < len(drawn) {
			rejected = 0
		}
		if rejected > maxRejections {
			return nil, ErrNoLiveRecord
		}
		left = again
	}
	return keys, nil
}

// draw draws a record of a table, or of the log.
func (s *Sampler) draw(rand func() uint64) (r record, err error) {
	for range maxRejections {
		table, n := locate(s.upTo, below(rand(), s.total()))
		found := emptySlot
		if table == len(s.tables) {
			if !s.byRecords {
				n = n*s.slots + below(rand(), s.slots)
			}
			if n < uint64(len(s.log)) {
				return record{bytes.Clone(s.log[n]), table}, nil // the caller may change it
			}
			continue
		}
		err := s.inTable(table, func(t *openTable) (err error) {
			if !s.byRecords {
				r.key, found, err = t.draw(n, rand(), s.slots)
				return err
			}
			slots, err := t.fullest()
			for tries := 0; tries < maxRejections && found == emptySlot && err == nil; tries++ {
				n := below(rand(), t.index.Len())
				r.key, found, err = t.draw(n, rand(), slots)
			}
			return err
		})
		if err != nil {
			return r, err
		}
		if found == Sets {
			r.table = table
			return r, nil
		}
	}
	return r, ErrNoLiveRecord
}

func (s *Sampler) Ranges() uint64 { return s.ranges.count() }

func (s *Sampler) Range(n uint64) (first, last []byte, err error) {
	return s.ranges.get(n, s.blockStart)
}

func (s *Sampler) BlockStarts(each func(key []byte) error) error {
	return s.ranges.starts(s.blockStart, each)
}

func (s *Sampler) blockStart(table int, block uint64) (key []byte, err error) {
	err = s.inTable(table, func(t *openTable) error {
		key, err = t.BlockStart(t.index, t.file, block)
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
	return t.tail().unsampled(err)
}

func (s *Sampler) Close() (err error) {
	for _, t := range s.tables {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
			t.file = nil
		}
	}
	return err
}

// below maps a random number to [0,n).
func below(r, n uint64) uint64 {
	hi, _ := bits.Mul64(r, n)
	return hi
}
