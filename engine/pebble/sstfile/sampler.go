package sstfile

import (
	"fmt"
	"path/filepath"
	"sort"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/openfile"
	"getio/engine/sampling"
)

// Sampler draws keys uniformly from the records of a catalog's tables.
//
// A table is drawn by its records, then one of its data blocks, then a slot of
// as many as its fullest blocks have records; an empty slot, or a record that a
// virtual table has no part in, means drawing the block again. So every record
// of a table has the same chance. How full the fullest blocks are is probed
// once per table, on at most fullnessProbes blocks; records of a block that is
// fuller still are drawn more seldom.
type Sampler struct {
	catalog *Catalog
	upTo    []int64 // upTo[i] records are in tables[0..i]
	opts    sstable.ReaderOptions
	schema  colblk.KeySchema
	ranges  sampling.Ranges
	// remember keeps files open, block handles and what was learnt of blocks,
	// for databases small enough.
	remember bool

	mu     sync.Mutex
	opened map[int]*sampledTable
}

const (
	fullnessProbes = 64
	// Up to so many data blocks the sampler remembers them, at 20 bytes each.
	rememberBlocks = 4 << 20
	// maxRejections bounds the draws for one key; only a tree of almost nothing
	// but deletions meets it.
	maxRejections = 1 << 20
	// maxTableRejections bounds the draws from one table in a row; only a
	// virtual table that has next to nothing of its file meets it.
	maxTableRejections = 1 << 17
)

// NewSampler returns a sampler over the catalog's tables.
func NewSampler(c *Catalog) (*Sampler, error) {
	total := c.shape.Total()
	s := &Sampler{
		catalog:  c,
		opts:     readerOptions(),
		schema:   colblk.DefaultKeySchema(pebble.DefaultComparer, 16),
		ranges:   newRanges(c),
		opened:   map[int]*sampledTable{},
		remember: total.DataBlocks <= rememberBlocks && total.Tables <= int64(openfile.ForSampling()),
	}
	var sum int64
	for _, t := range c.tables {
		sum += t.share(t.props.NumEntries - t.props.NumRangeDeletions)
		s.upTo = append(s.upTo, sum)
	}
	if sum == 0 {
		return nil, sampling.ErrNoLiveRecord
	}
	return s, nil
}

var _ engine.Sampler = (*Sampler)(nil)

// Draw implements engine.Sampler.
func (s *Sampler) Draw(rand func() uint64, dst []byte) ([]byte, error) {
	total := uint64(s.upTo[len(s.upTo)-1])
	for range maxRejections {
		record := int64(sampling.Below(rand(), total))
		i := sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] > record })
		key, err := s.drawFrom(i, rand, dst)
		if err != nil {
			path := s.catalog.tables[i].ref.Path
			return nil, failure.Read(filepath.Dir(path), fmt.Errorf("table %s cannot be sampled: %w", path, err))
		}
		if key != nil {
			return key, nil
		}
	}
	return nil, sampling.ErrNoLiveRecord
}

// drawFrom draws one record of table i. The key is nil if the record does not
// set a key.
func (s *Sampler) drawFrom(i int, rand func() uint64, dst []byte) (key []byte, err error) {
	err = s.inTable(i, func(file *openTable) error {
		taken := false
		for range maxTableRejections {
			n, r := sampling.Below(rand(), file.dataBlocks()), rand()
			if records, known := file.known(n); known && file.slot(r, records) >= records {
				continue
			}
			if key, taken, _, err = file.record(n, r, dst); taken || err != nil {
				return err
			}
		}
		return nil
	})
	return key, err
}

// inTable does something with table i's file, open.
func (s *Sampler) inTable(i int, do func(*openTable) error) error {
	t, err := s.table(i)
	if err != nil {
		return err
	}
	file, err := t.open()
	if err != nil {
		return err
	}
	defer file.release()
	return do(file)
}

// table prepares table i for drawing, once.
func (s *Sampler) table(i int) (*sampledTable, error) {
	s.mu.Lock()
	t := s.opened[i]
	if t == nil {
		t = &sampledTable{sampler: s, table: s.catalog.tables[i]}
		s.opened[i] = t
	}
	s.mu.Unlock()
	t.once.Do(func() { t.err = t.prepare() })
	return t, t.err
}

// Close implements engine.Sampler.
func (s *Sampler) Close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.opened {
		if t.file != nil {
			if e := t.file.Close(); err == nil {
				err = e
			}
		}
	}
	s.opened = map[int]*sampledTable{}
	return err
}
