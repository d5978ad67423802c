package ldbfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/openfile"
	"getio/engine/sampling"
	"getio/tree/blockformat"
)

// Sampler draws keys uniformly from the records of a catalog's tables.
//
// How many records a table holds is written nowhere. So one of all data blocks is
// drawn, then a slot of as many as the fullest blocks have records; an empty slot
// means drawing anew. So every record has the same chance. How full the fullest
// blocks are is probed on fullnessProbes of them, evenly apart; records of a block
// that is fuller still are drawn more seldom.
type Sampler struct {
	catalog *Catalog
	upTo    []uint64 // upTo[i] data blocks are in tables[0..i]
	slots   uint64   // records of the fullest blocks, as far as probed
	ranges  sampling.Ranges
	// remember keeps files open and their indexes, for databases small enough.
	remember bool

	mu     sync.Mutex
	opened map[int]*openedTable
}

const (
	fullnessProbes = 256
	// Up to so many data blocks the sampler remembers them, at about 80 bytes each.
	rememberBlocks = 1 << 20
	// maxRejections bounds the draws for one key; only a tree of almost nothing
	// but deletions meets it.
	maxRejections = 1 << 16
)

// NewSampler returns a sampler over the catalog's tables.
func NewSampler(c *Catalog) (*Sampler, error) {
	total := c.shape.Total()
	s := &Sampler{
		catalog: c, opened: map[int]*openedTable{}, ranges: newRanges(c),
		remember: total.DataBlocks <= rememberBlocks && total.Tables <= int64(openfile.ForSampling()),
	}
	var sum uint64
	for _, t := range c.tables {
		sum += uint64(t.dataBlocks)
		s.upTo = append(s.upTo, sum)
	}
	if sum == 0 {
		return nil, sampling.ErrNoLiveRecord
	}
	if err := s.probe(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

var _ engine.Sampler = (*Sampler)(nil)

func (s *Sampler) dataBlocks() uint64 { return s.upTo[len(s.upTo)-1] }

func (s *Sampler) probe() error {
	probes := min(s.dataBlocks(), fullnessProbes)
	for p := range probes {
		records, err := s.records(p * s.dataBlocks() / probes)
		if err != nil {
			return err
		}
		s.slots = max(s.slots, uint64(len(records)))
	}
	return nil
}

// Draw implements engine.Sampler.
func (s *Sampler) Draw(rand func() uint64, dst []byte) ([]byte, error) {
	for range maxRejections {
		records, err := s.records(sampling.Below(rand(), s.dataBlocks()))
		if err != nil {
			return nil, err
		}
		slot := sampling.Below(rand(), max(s.slots, uint64(len(records))))
		if slot < uint64(len(records)) && records[slot].kind == kindSet {
			return append(dst[:0], records[slot].key...), nil
		}
	}
	return nil, sampling.ErrNoLiveRecord
}

// keyed is the key of a record, and what the record does.
type keyed struct {
	key  []byte
	kind byte
}

// records lists the records of data block n of all tables'.
func (s *Sampler) records(n uint64) (list []keyed, err error) {
	i := sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] > n })
	if i > 0 {
		n -= s.upTo[i-1]
	}
	err = s.inTable(i, func(t *openedTable) error {
		list, err = t.records(n)
		return err
	})
	return list, err
}

// inTable does something with table i, open.
func (s *Sampler) inTable(i int, do func(*openedTable) error) error {
	t, err := s.open(i)
	if err == nil {
		defer t.release(s.remember)
		err = do(t)
	}
	if err != nil {
		path := s.catalog.tables[i].ref.Path
		return failure.Read(filepath.Dir(path), fmt.Errorf("table %s cannot be sampled: %w", path, err))
	}
	return nil
}

// open opens table i, or finds it open.
func (s *Sampler) open(i int) (*openedTable, error) {
	t := &openedTable{table: s.catalog.tables[i]}
	if s.remember {
		s.mu.Lock()
		if known := s.opened[i]; known != nil {
			t = known
		} else {
			s.opened[i] = t
		}
		s.mu.Unlock()
	}
	t.once.Do(func() { t.err = t.open() })
	return t, t.err
}

// Close implements engine.Sampler.
func (s *Sampler) Close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.opened {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
		}
	}
	s.opened = map[int]*openedTable{}
	return err
}

// openedTable is a table open for reading its data blocks.
type openedTable struct {
	*table
	once   sync.Once
	err    error
	file   *os.File
	blocks []dataBlock
}

func (t *openedTable) open() (err error) {
	if t.file, err = openTable(t.ref); err != nil {
		return err
	}
	if t.blocks, _, err = t.readIndex(t.file); err != nil {
		t.file.Close()
		t.file = nil
	}
	return err
}

func (t *openedTable) release(keep bool) {
	if !keep {
		t.file.Close()
	}
}

// records lists the records of the table's data block n.
func (t *openedTable) records(n uint64) (list []keyed, err error) {
	if n >= uint64(len(t.blocks)) {
		return nil, fmt.Errorf("it has %d data blocks, and had %d when it was looked at", len(t.blocks), t.dataBlocks)
	}
	block, err := readBlock(t.file, t.blocks[n].extent)
	if err != nil {
		return nil, err
	}
	var wrong error
	err = blockformat.EachEntry(block, func(internal, _ []byte) bool {
		key, kind, err := userKey(internal)
		list, wrong = append(list, keyed{append([]byte(nil), key...), kind}), err
		return err == nil
	})
	if err = errors.Join(err, wrong); err != nil {
		return nil, fmt.Errorf("its data block %d %w", n, err)
	}
	return list, nil
}
