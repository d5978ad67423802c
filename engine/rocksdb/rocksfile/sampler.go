package rocksfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"sync"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/openfile"
	"getio/engine/sampling"
)

// Sampler draws keys uniformly from the records of a catalog's tables.
//
// A table is drawn by its records, then one of its data blocks, then a slot of as many
// as its fullest blocks have records; an empty slot means drawing the block again. So
// every record of a table has the same chance. How full the fullest blocks are is probed
// once per table, on at most fullnessProbes blocks; records of a block that is fuller
// still are drawn more seldom.
type Sampler struct {
	catalog *Catalog
	upTo    []uint64 // upTo[i] records are in tables[0..i]
	ranges  sampling.Ranges
	// remember keeps files open and their indexes, for databases small enough.
	remember bool

	mu      sync.Mutex
	sampled map[int]*sampledTable
}

const (
	fullnessProbes = 64
	// Up to so many data blocks the sampler remembers them, at about 80 bytes each.
	rememberBlocks = 1 << 20
	// maxRejections bounds the draws for one key, and those from one table; only a
	// tree of almost nothing but deletions meets the first.
	maxRejections      = 1 << 16
	maxTableRejections = 1 << 14
)

// NewSampler returns a sampler over the catalog's tables.
func NewSampler(c *Catalog) (*Sampler, error) {
	total := c.shape.Total()
	s := &Sampler{
		catalog: c, sampled: map[int]*sampledTable{}, ranges: newRanges(c),
		remember: total.DataBlocks <= rememberBlocks && total.Tables <= int64(openfile.ForSampling()),
	}
	var sum uint64
	for _, t := range c.tables {
		sum += t.props.entries - t.props.rangeDeletes
		s.upTo = append(s.upTo, sum)
	}
	if sum == 0 {
		return nil, sampling.ErrNoLiveRecord
	}
	return s, nil
}

var _ engine.Sampler = (*Sampler)(nil)

// Draw implements engine.Sampler.
func (s *Sampler) Draw(rand func() uint64, dst []byte) (key []byte, err error) {
	total := s.upTo[len(s.upTo)-1]
	for range maxRejections {
		record := sampling.Below(rand(), total)
		i := sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] > record })
		sets := false
		err := s.inTable(i, func(t *openedTable) (err error) {
			key, sets, err = t.draw(rand, dst)
			return err
		})
		if err != nil || sets {
			return key, err
		}
	}
	return nil, sampling.ErrNoLiveRecord
}

// inTable does something with table i, open.
func (s *Sampler) inTable(i int, do func(*openedTable) error) error {
	t, err := s.open(i)
	if err == nil {
		defer t.release()
		err = do(t)
	}
	if err != nil {
		path := s.catalog.tables[i].ref.Path
		return failure.Read(filepath.Dir(path), fmt.Errorf("table %s cannot be sampled: %w", path, err))
	}
	return nil
}

// open opens table i, or finds it open, and prepares it once.
func (s *Sampler) open(i int) (*openedTable, error) {
	s.mu.Lock()
	t := s.sampled[i]
	if t == nil {
		t = &sampledTable{table: s.catalog.tables[i], remember: s.remember}
		s.sampled[i] = t
	}
	s.mu.Unlock()
	t.once.Do(func() { t.err = t.prepare() })
	if t.err != nil {
		return nil, t.err
	}
	return t.open()
}

// Close implements engine.Sampler.
func (s *Sampler) Close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.sampled {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
		}
	}
	s.sampled = map[int]*sampledTable{}
	return err
}
