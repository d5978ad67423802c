// Package catalog holds what getio knows of the table files of a database: their region
// maps, their shape, and a sampler that draws keys from them.
//
// It is the common part of the three table readers (sstfile, ldbfile, rocksfile), which
// decode the files and implement Table.
package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/filelimit"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/engine/region"
)

// Ref names one table of a tree, as the engine's library or the MANIFEST lists it.
type Ref struct {
	Level                   int
	File                    uint64 // number of the file that holds it
	Path                    string
	Size                    int64 // of the table; less than its file's if it is virtual
	Virtual                 bool  // one of several tables in the file
	Smallest, Largest       lsm.Key
	LargestExclusive        bool // Largest ends a deleted range and is not in the table
	SmallestSeq, LargestSeq uint64
}

// Tail holds what every reader takes from the tail of a table file. Readers embed it.
type Tail struct {
	Ref     Ref
	Regions region.Map
}

func (t *Tail) tail() *Tail { return t }

// unsampled returns the error for a table that keys cannot be sampled from, nil for none.
func (t *Tail) unsampled(err error) error {
	if err == nil {
		return nil
	}
	return failure.Read(filepath.Dir(t.Ref.Path), fmt.Errorf("table %s cannot be sampled: %w", t.Ref.Path, err))
}

// tailed is implemented by embedding Tail.
type tailed interface{ tail() *Tail }

// Table is one table, as its reader knows it after reading the tail. It does not change.
type Table interface {
	tailed
	// Verify checks the region map against what else the table says of its blocks.
	Verify() error
	// Shape describes the table as Gets see it.
	Shape() lsm.Table
	// Format names the table format.
	Format() string

	// DataBlocks is the number of data blocks in the file, as its tail states it.
	DataBlocks() uint64
	// Records is the number of records in the data blocks of the file. known is false if the format
	// does not record it.
	Records() (n uint64, known bool)
	// Open opens the file.
	Open() (File, error)
	// ReadIndex reads the table's index. If keep is set, the index keeps the entries of
	// all data blocks in memory, at entryBytes each.
	ReadIndex(f File, keep bool) (*Index, error)
	// BlockStart returns a key at which data block n > 0 begins: none of its records is before
	// it, and none of the block before is at it or behind it.
	BlockStart(x *Index, f File, n uint64) ([]byte, error)
	// DeletedRanges calls found with each deleted range that some keys are in. Keys are in order.
	DeletedRanges(f File, keys [][]byte, found Found) error
}

// Catalog holds the tables of a tree. It does not change.
type Catalog[T Table] struct {
	Tables  []T
	regions map[uint64]*region.Map // by file number
	shape   *lsm.Shape
	// SearchesAllOfL0 is set where Gets search all tables of L0 even after one had a record that sets their key.
	SearchesAllOfL0 bool
}

// New reads the tails of the given tables in parallel. shape derives the shape of the tree.
func New[T Table](ctx context.Context, refs []Ref, read func(Ref) (T, error), shape func(*Catalog[T]) *lsm.Shape) (*Catalog[T], error) {
	c := &Catalog[T]{Tables: make([]T, len(refs)), regions: make(map[uint64]*region.Map, len(refs))}
	err := filelimit.Each(ctx, len(refs), func(i int) (err error) {
		c.Tables[i], err = read(refs[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range c.Tables {
		c.regions[t.tail().Ref.File] = &t.tail().Regions
	}
	c.shape = shape(c)
	return c, nil
}

// Regions returns the region map of the table with the given file number, nil if the
// catalog has no such table.
func (c *Catalog[T]) Regions(file uint64) *region.Map { return c.regions[file] }

// TableRegions is Regions for the table at path, with an error if the catalog has no such table.
func (c *Catalog[T]) TableRegions(file uint64, path string) (*region.Map, error) {
	if m := c.regions[file]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("table %s is not part of the tree that was inspected: the database was changed meanwhile, run the command again", path)
}

// Paths lists the tables' files, each once.
func (c *Catalog[T]) Paths() (paths []string) {
	seen := map[uint64]bool{}
	for _, t := range c.Tables {
		if ref := &t.tail().Ref; !seen[ref.File] {
			seen[ref.File] = true
			paths = append(paths, ref.Path)
		}
	}
	return paths
}

// TableFormats counts the tables by format.
func (c *Catalog[T]) TableFormats() map[string]int {
	formats := map[string]int{}
	for _, t := range c.Tables {
		formats[t.Format()]++
	}
	return formats
}

// Shape is the shape of the tree.
func (c *Catalog[T]) Shape() *lsm.Shape { return c.shape }

// Levels groups the tables by level, in key order below L0. If older is set, each table of
// L0 is a sublevel of its own, the newest on top: libraries without sublevels look into
// every table of L0 that may hold a key.
func (c *Catalog[T]) Levels(older func(a, b *Ref) int) (levels [lsm.NumLevels][]lsm.Table) {
	tables := slices.Clone(c.Tables)
	if older != nil {
		slices.SortStableFunc(tables, func(a, b T) int { return older(&a.tail().Ref, &b.tail().Ref) })
	}
	for _, t := range tables {
		s, level := t.Shape(), t.tail().Ref.Level
		if older != nil && level == 0 {
			s.Sublevel = len(levels[0])
		}
		levels[level] = append(levels[level], s)
	}
	for _, list := range levels[1:] {
		slices.SortFunc(list, func(a, b lsm.Table) int { return slices.Compare(a.Smallest, b.Smallest) })
	}
	return levels
}

// LevelProperties sums the tables' properties per level. add adds those that only the reader knows.
func (c *Catalog[T]) LevelProperties(add func(*engine.LevelProperties, T)) (levels [lsm.NumLevels]engine.LevelProperties) {
	for _, t := range c.Tables {
		ref := &t.tail().Ref
		l := &levels[ref.Level]
		l.Count++
		if seq := ref.SmallestSeq; seq != 0 && (l.SmallestSeq == 0 || seq < l.SmallestSeq) {
			l.SmallestSeq = seq
		}
		l.LargestSeq = max(l.LargestSeq, ref.LargestSeq)
		add(l, t)
	}
	return levels
}

// Check verifies every table. With the reads that fit no block, it is how a wrong region map
// is noticed.
func (c *Catalog[T]) Check() readpath.Check {
	for _, t := range c.Tables {
		if err := t.Verify(); err != nil {
			return readpath.Check{Name: "region_map", Detail: fmt.Sprintf("table %s: %v", t.tail().Ref.Path, err)}
		}
	}
	return readpath.Check{Name: "region_map", OK: true, Detail: fmt.Sprintf("the region maps of %d tables are consistent", len(c.Tables))}
}

const (
	// rememberBytes is the most that a sampler keeps of indexes in memory.
	rememberBytes = 80 << 20
	// entryBytes is about what an entry takes of it: an extent, a key, and a count of records.
	entryBytes = 80
)

// Sampler returns a sampler of the keys of the tables and the write-ahead log.
func (c *Catalog[T]) Sampler(log Log) (engine.Sampler, error) {
	return c.SamplerWithin(rememberBytes, log)
}

// SamplerWithin is Sampler with another limit on what is kept of indexes in memory. Beyond
// the limit nothing is kept, and files are opened for every draw. Draws do not depend on it.
func (c *Catalog[T]) SamplerWithin(bytes int64, log Log) (engine.Sampler, error) {
	tables := make([]Table, len(c.Tables))
	for i, t := range c.Tables {
		tables[i] = t
	}
	remember := len(tables) <= filelimit.ForSampling() && c.shape.Total().DataBlocks*entryBytes <= bytes
	return newSampler(tables, log.set(), remember)
}

// OpenFile opens a table's file, which must be as long as ref says.
func OpenFile(ref Ref) (*os.File, error) {
	f, err := os.Open(ref.Path)
	if err != nil {
		return nil, fmt.Errorf("table %s cannot be opened: %w", ref.Path, err)
	}
	fi, err := f.Stat()
	if err == nil {
		err = ref.CheckSize(fi)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckSize returns an error unless the table's file has the table's size.
func (r *Ref) CheckSize(file fs.FileInfo) error {
	if file.Size() != r.Size {
		return fmt.Errorf("table %s has %d bytes, but the MANIFEST says %d", r.Path, file.Size(), r.Size)
	}
	return nil
}

// Live returns the region maps of tables that come and go. Each table's tail is read
// through a file of its own.
func Live[T Table](read func(Ref) (T, error)) *region.Live {
	return region.NewLive(func(file uint64, path string) (m *region.Map, wrong, err error) {
		fi, err := os.Stat(path)
		if err != nil {
			return nil, nil, err
		}
		t, err := read(Ref{File: file, Path: path, Size: fi.Size()})
		if err != nil {
			return nil, nil, err
		}
		return &t.tail().Regions, t.Verify(), nil
	})
}
