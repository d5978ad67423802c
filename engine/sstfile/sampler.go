package sstfile

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"sort"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/sstable/rowblk"

	"getio/engine"
)

// Sampler draws keys uniformly from the records of a catalog's tables.
//
// A table is drawn by its records, then one of its data blocks, then a slot of
// as many as its fullest blocks have records; an empty slot means drawing the
// block again. So every record of a table has the same chance. How full the
// fullest blocks are is probed once per table, on at most fullnessProbes
// blocks; records of a block that is fuller still are drawn more seldom.
type Sampler struct {
	catalog *Catalog
	upTo    []int64 // upTo[i] records are in tables[0..i]
	opts    sstable.ReaderOptions
	schema  colblk.KeySchema

	mu     sync.Mutex
	opened map[int]*sampledTable
}

const fullnessProbes = 64

// maxRejections bounds the draws for one key; only a tree of almost nothing
// but deletions meets it.
const maxRejections = 1 << 20

var errNoLiveRecord = errors.New("the tables hold (almost) no records that set a key: name keys with --keys-file")

// sampledTable is what drawing from one table needs. It keeps the index blocks
// rather than the data blocks, of which a large database has too many.
type sampledTable struct {
	once    sync.Once
	err     error
	indexes []block.Handle // that name data blocks
	upTo    []uint64       // upTo[i] data blocks are named by indexes[0..i]
	slots   uint64         // records of its fullest blocks, as far as probed
}

// NewSampler returns a sampler over the catalog's tables.
func NewSampler(c *Catalog) (*Sampler, error) {
	s := &Sampler{
		catalog: c,
		opts:    readerOptions(),
		schema:  colblk.DefaultKeySchema(pebble.DefaultComparer, 16),
		opened:  map[int]*sampledTable{},
	}
	var sum int64
	for _, t := range c.tables {
		sum += t.share(t.props.NumEntries)
		s.upTo = append(s.upTo, sum)
	}
	if sum == 0 {
		return nil, errNoLiveRecord
	}
	return s, nil
}

var _ engine.Sampler = (*Sampler)(nil)

// Close implements engine.Sampler.
func (s *Sampler) Close() error { return nil }

// Draw implements engine.Sampler.
func (s *Sampler) Draw(rand func() uint64, dst []byte) ([]byte, error) {
	total := uint64(s.upTo[len(s.upTo)-1])
	for rejected := 0; rejected < maxRejections; {
		record := int64(below(rand(), total))
		i := sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] > record })
		key, tries, err := s.drawFrom(i, rand, dst)
		if err != nil {
			return nil, fmt.Errorf("table %s cannot be sampled: %w", s.catalog.tables[i].ref.Path, err)
		}
		if key != nil {
			return key, nil
		}
		rejected += tries
	}
	return nil, errNoLiveRecord
}

// below maps a random number to [0,n).
func below(r, n uint64) uint64 {
	hi, _ := bits.Mul64(r, n)
	return hi
}

// drawFrom draws one record of table i. The key is nil if the record does not
// set a key, or if the table gave up none.
func (s *Sampler) drawFrom(i int, rand func() uint64, dst []byte) (key []byte, tries int, err error) {
	t := s.catalog.tables[i]
	f, err := openRecorded(t.ref.Path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	var blocks block.Reader
	blocks.Init(f, s.opts.ReaderOptions, t.checksum)
	st, err := s.sampled(i, &blocks)
	if err != nil {
		return nil, 0, err
	}
	for tries = 1; tries <= maxRejections; tries++ {
		bh, err := st.block(t, &blocks, below(rand(), st.dataBlocks()))
		if err != nil {
			return nil, 0, err
		}
		slot := int(below(rand(), st.slots))
		record, n, err := s.record(t, &blocks, bh, slot, dst)
		if err != nil {
			return nil, 0, err
		}
		if slot >= n {
			continue
		}
		return record, tries, nil
	}
	return nil, tries, nil
}

// sampled prepares table i for drawing, once.
func (s *Sampler) sampled(i int, blocks *block.Reader) (*sampledTable, error) {
	s.mu.Lock()
	st := s.opened[i]
	if st == nil {
		st = &sampledTable{}
		s.opened[i] = st
	}
	s.mu.Unlock()
	st.once.Do(func() { st.err = s.prepare(s.catalog.tables[i], st, blocks) })
	return st, st.err
}

func (s *Sampler) prepare(t *table, st *sampledTable, blocks *block.Reader) error {
	st.indexes = []block.Handle{t.top}
	if t.twoLevel {
		var err error
		if st.indexes, err = t.handles(blocks, t.top); err != nil {
			return err
		}
	}
	var sum uint64
	for _, bh := range st.indexes {
		data, err := t.handles(blocks, bh)
		if err != nil {
			return err
		}
		sum += uint64(len(data))
		st.upTo = append(st.upTo, sum)
	}
	if sum == 0 {
		return errors.New("its index names no data block")
	}
	probes := min(sum, fullnessProbes)
	for p := range probes {
		bh, err := st.block(t, blocks, p*sum/probes)
		if err != nil {
			return err
		}
		_, n, err := s.record(t, blocks, bh, 0, nil)
		if err != nil {
			return err
		}
		st.slots = max(st.slots, uint64(n))
	}
	return nil
}

func (st *sampledTable) dataBlocks() uint64 { return st.upTo[len(st.upTo)-1] }

// block finds the table's n-th data block.
func (st *sampledTable) block(t *table, blocks *block.Reader, n uint64) (block.Handle, error) {
	i := sort.Search(len(st.upTo), func(i int) bool { return st.upTo[i] > n })
	data, err := t.handles(blocks, st.indexes[i])
	if err != nil {
		return block.Handle{}, err
	}
	return data[n-(st.upTo[i]-uint64(len(data)))], nil
}

// record counts the point records of a data block and appends the user key of
// the one in the given slot to dst. The key is nil if there is no such slot,
// if its record deletes, or if it lies outside a virtual table's bounds.
func (s *Sampler) record(t *table, blocks *block.Reader, bh block.Handle, slot int, dst []byte) (key []byte, n int, err error) {
	b, err := readBlock(blocks, bh)
	if err != nil {
		return nil, 0, err
	}
	defer b.Release()
	iter, err := s.dataIter(t, b.BlockData())
	if err != nil {
		return nil, 0, err
	}
	for kv := iter.First(); kv != nil; kv = iter.Next() {
		if n == slot && sets(kv.K.Kind()) && t.holds(kv.K.UserKey) {
			key = append(dst[:0], kv.K.UserKey...)
		}
		n++
	}
	return key, n, iter.Error()
}

func (s *Sampler) dataIter(t *table, data []byte) (block.DataBlockIterator, error) {
	c := pebble.DefaultComparer
	if !t.format.BlockColumnar() {
		iter := new(rowblk.Iter)
		return iter, iter.Init(c.Compare, c.ComparePointSuffixes, c.Split, data, block.NoTransforms)
	}
	var decoder colblk.DataBlockDecoder
	decoder.Init(&s.schema, data)
	iter := new(colblk.DataBlockIter)
	iter.InitOnce(&s.schema, c, nil)
	return iter, iter.Init(&decoder, block.NoTransforms)
}

func sets(kind pebble.InternalKeyKind) bool {
	switch kind {
	case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete, pebble.InternalKeyKindMerge:
		return true
	}
	return false
}

func (t *table) holds(key []byte) bool {
	return !t.ref.Virtual || bytes.Compare(key, t.ref.Smallest) >= 0 && bytes.Compare(key, t.ref.Largest) <= 0
}
