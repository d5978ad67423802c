package dataset

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path/filepath"
	"strconv"

	"getio/system/atomicfile"
	"getio/system/filesystem"
)

// TreeSchema is the schema of the tree file that this package reads and writes.
const TreeSchema = "getio.tree/1"

// TreeName is the name of the tree file in a dataset's directory.
const TreeName = "tree.json"

// Tree lists the tables and key ranges of a dataset that was built table by table. No key
// is in two tables.
type Tree struct {
	// Schema may be left empty: Write sets it.
	Schema string `json:"schema"`
	// Tables are in ascending order of keys within each level and sublevel of L0. The keys
	// of the dataset are numbered in the order of this list.
	Tables []Table `json:"tables"`

	from []uint64 // the number of each table's first key, then the number of all keys
	rank []uint64 // of each table's first record within its run
	runs [][]run  // by level and sublevel
}

// Table describes the keys of one table. The range [First, Last) of the first 64 bits is
// divided into Keys equal parts, and each key lies in its own part.
type Table struct {
	File     uint64 `json:"file"`
	Level    int    `json:"level"`
	Sublevel int    `json:"sublevel,omitempty"` // of L0; a higher one is newer
	First    Prefix `json:"first"`
	Last     Prefix `json:"last"`
	Keys     uint64 `json:"keys"`
}

// Prefix is the first 64 bits of a key. As text it is 16 hexadecimal digits.
type Prefix uint64

// newPrefix returns the prefix of a key, of which what is missing is 0.
func newPrefix(key []byte) Prefix {
	var first [8]byte
	copy(first[:], key)
	return Prefix(binary.BigEndian.Uint64(first[:]))
}

// MarshalText implements encoding.TextMarshaler.
func (p Prefix) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%016x", uint64(p)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Prefix) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil {
		return fmt.Errorf("invalid key prefix %q: want 16 hexadecimal digits", text)
	}
	*p = Prefix(n)
	return nil
}

// run describes the records of a level or of a sublevel of L0: their number, their lowest
// sequence number, and the step from one sequence number to the next, modulo keys. zero
// means that all sequence numbers are 0, as in L6 of a natural tree.
type run struct {
	keys, lowest, step uint64
	zero               bool
}

// treeLevels is the number of levels of a tree.
const treeLevels = 7

// NewTree checks the tables and returns a tree of them.
func NewTree(tables []Table) (*Tree, error) {
	t := &Tree{Schema: TreeSchema, Tables: tables}
	return t, t.prepare()
}

func (t *Tree) prepare() error {
	if len(t.Tables) == 0 {
		return errors.New("a tree needs at least one table")
	}
	t.from = make([]uint64, 1, len(t.Tables)+1)
	t.rank = make([]uint64, 0, len(t.Tables))
	t.runs = make([][]run, treeLevels)
	var before *Table
	for i := range t.Tables {
		table := &t.Tables[i]
		if err := t.check(table, before); err != nil {
			return fmt.Errorf("table %d of the tree (file %06d): %w", i, table.File, err)
		}
		runs := &t.runs[table.Level]
		for len(*runs) <= table.Sublevel {
			*runs = append(*runs, run{})
		}
		r := &(*runs)[table.Sublevel]
		t.rank = append(t.rank, r.keys)
		r.keys += table.Keys
		t.from = append(t.from, t.from[i]+table.Keys)
		before = table
	}
	t.number()
	return nil
}

func (t *Tree) check(table, before *Table) error {
	switch {
	case table.Level < 0 || table.Level >= treeLevels:
		return fmt.Errorf("there is no level %d", table.Level)
	case table.Sublevel < 0 || table.Sublevel > 0 && table.Level > 0:
		return fmt.Errorf("level %d has no sublevel %d", table.Level, table.Sublevel)
	case table.Keys == 0:
		return errors.New("it has no keys")
	case table.Last <= table.First || uint64(table.Last-table.First) < table.Keys:
		return fmt.Errorf("its range has no room for %d keys", table.Keys)
	case before == nil:
		return nil
	case table.File <= before.File:
		return errors.New("file numbers do not ascend")
	case table.Level == before.Level && table.Sublevel == before.Sublevel && table.First < before.Last:
		return errors.New("it overlaps the table before")
	}
	return nil
}

// number assigns distinct sequence numbers to the runs, in descending order from the
// newest sublevel of L0 to the level above the last.
func (t *Tree) number() {
	next := t.Keys() + 1
	for level, runs := range t.runs {
		for i := range runs {
			r := &runs[len(runs)-1-i]
			if r.zero = level == treeLevels-1; r.zero || r.keys == 0 {
				continue
			}
			next -= r.keys
			r.lowest, r.step = next, stride(r.keys)
		}
	}
}

// stride returns a number near 0.618*n that is coprime to n. Its multiples modulo n visit
// all of 0..n-1, and consecutive ones are far apart.
func stride(n uint64) uint64 {
	step := max(Bounded(golden, n), 1)
	for gcd(step, n) != 1 {
		step++
	}
	return step
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Keys returns the number of keys of all tables.
func (t *Tree) Keys() uint64 { return t.from[len(t.Tables)] }

// FirstKey returns the number of table i's first key.
func (t *Tree) FirstKey(i int) uint64 { return t.from[i] }

// Seqs returns bounds on the sequence numbers of table i's records.
func (t *Tree) Seqs(i int) (smallest, largest uint64) {
	r := t.run(i)
	if r.zero {
		return 0, 0
	}
	return r.lowest, r.lowest + r.keys - 1
}

func (t *Tree) run(i int) *run {
	return &t.runs[t.Tables[i].Level][t.Tables[i].Sublevel]
}

// seqs returns the sequence numbers of table i's records, starting at record n.
func (t *Tree) seqs(i int, n uint64) seqCursor {
	r := t.run(i)
	if r.zero {
		return seqCursor{}
	}
	high, low := bits.Mul64(t.rank[i]+n, r.step)
	_, at := bits.Div64(high, low, r.keys)
	return seqCursor{lowest: r.lowest, at: at, step: r.step, keys: r.keys}
}

// seqCursor iterates over sequence numbers. The zero value yields 0 forever.
type seqCursor struct{ lowest, at, step, keys uint64 }

func (c *seqCursor) next() uint64 {
	seq := c.lowest + c.at
	if c.at += c.step; c.at >= c.keys {
		c.at -= c.keys
	}
	return seq
}

// maxTreeBytes limits the memory that a wrong file can take.
const maxTreeBytes = 64 << 20

// ReadTree returns the tree of the dataset in dir.
func ReadTree(dir string) (*Tree, error) {
	path := filepath.Join(dir, TreeName)
	data, err := filesystem.ReadRegular(path, maxTreeBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s, which lists the tables and their keys, is missing: build the dataset again", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the dataset's tree: %w", err)
	}
	t := new(Tree)
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("cannot use %s: invalid JSON (%w): build the dataset again", path, err)
	}
	if t.Schema != TreeSchema {
		return nil, fmt.Errorf("cannot use %s: its schema %q is not the %q that this getio knows: use the getio that wrote it", path, t.Schema, TreeSchema)
	}
	if err := t.prepare(); err != nil {
		return nil, fmt.Errorf("cannot use %s: %w: build the dataset again", path, err)
	}
	return t, nil
}

// Write writes the tree file of dir atomically: after a crash, the file is either the old
// one or the new one.
func (t *Tree) Write(dir string) error {
	t.Schema = TreeSchema
	data, err := json.Marshal(t)
	if err == nil {
		err = atomicfile.ReplaceDurably(filepath.Join(dir, TreeName), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", filepath.Join(dir, TreeName), err)
	}
	return nil
}
