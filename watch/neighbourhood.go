package watch

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"getio/engine/ondisk"
)

// neighbourhoods divide the keys of a database, in their order, into ranges of which some are taken
// as a sample. A sample of single keys would not do: a block is read for the keys that lie in it
// together, so that a cache for a sixteenth of the keys needs far more than a sixteenth of the
// blocks. A range is one data block of the level that is densest there, or several.
type neighbourhoods struct {
	starts [][]byte // of all but the first, ascending
	taken  []bool
}

const (
	// leastNeighbourhood is the bytes of tables in a neighbourhood: about a data block.
	leastNeighbourhood = 4 << 10
	// mostNeighbourhoods bounds the memory that they take, to about 10 MiB.
	mostNeighbourhoods = 1 << 17
)

// divide divides the keys of a database. It reads the indexes of all tables.
func divide(ctx context.Context, d *database, one int64) (*neighbourhoods, error) {
	paths, total, err := d.tableFiles()
	if err != nil {
		return nil, err
	}
	size := max(int64(leastNeighbourhood), total/mostNeighbourhoods)
	var all []start
	for table, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		number, _ := ondisk.TableNumber(filepath.Base(path))
		starts, err := d.likely[0].starts(number, path, size)
		if err != nil {
			continue // it is being written, or gone
		}
		for _, key := range starts {
			all = append(all, start{key, table})
		}
	}
	starts := densest(all)
	if int64(len(starts)) < leastTaken*one {
		return nil, fmt.Errorf("%s is too small for a sample of one in %d: it has %d neighbourhoods of keys, and a sample needs %d; record all keys",
			d.path, one, len(starts)+1, leastTaken*one)
	}
	return newNeighbourhoods(starts, int(one)), nil
}

// takenInRow is how many are taken of neighbours in a row. Thus all parts of the key order are in a
// sample alike. Within a row chance decides, so that blocks which serve several neighbours are in it
// as often as if they were independent.
const takenInRow = 4

// newNeighbourhoods takes one in so many neighbourhoods that begin at the starts.
func newNeighbourhoods(starts [][]byte, one int) *neighbourhoods {
	n := &neighbourhoods{starts: starts, taken: make([]bool, len(starts)+1)}
	random := rand.New(rand.NewPCG(1, uint64(one)))
	row := takenInRow * one
	for from := 0; from < len(n.taken); from += row {
		for _, i := range random.Perm(row)[:takenInRow] {
			if from+i < len(n.taken) {
				n.taken[from+i] = true
			}
		}
	}
	return n
}

type start struct {
	key   []byte
	table int
}

// densest returns the starts of the tables that are densest where they lie, in order: those of other
// levels would cut their blocks.
func densest(all []start) (keys [][]byte) {
	slices.SortFunc(all, func(a, b start) int { return bytes.Compare(a.key, b.key) })
	sparse := make([]bool, len(all))
	last := map[int]int{} // by table
	for i, s := range all {
		if before, ok := last[s.table]; ok {
			sparse[before] = denser(all[before+1 : i])
			sparse[i] = sparse[before] // unless there is another one behind it
		}
		last[s.table] = i
	}
	for i, s := range all {
		if !sparse[i] && (len(keys) == 0 || !bytes.Equal(keys[len(keys)-1], s.key)) {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// denser reports whether a table is denser than the one between two starts of which these lie: it has
// several of them. Many tables with one each, as L0 may have, are no denser.
func denser(between []start) bool {
	const several = 2
	count := map[int]int{}
	for _, s := range between {
		if count[s.table]++; count[s.table] == several {
			return true
		}
	}
	return false
}

// leastTaken is how many neighbourhoods a sample must have to say anything.
const leastTaken = 20

// tableFiles returns the tables that are there now, and their bytes.
func (d *database) tableFiles() (paths []string, total int64, err error) {
	entries, err := os.ReadDir(d.here)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot list the tables of %s: %w", d.path, err)
	}
	for _, e := range entries {
		if _, ok := ondisk.TableNumber(e.Name()); !ok {
			continue
		}
		if fi, err := e.Info(); err == nil {
			paths = append(paths, filepath.Join(d.here, e.Name()))
			total += fi.Size()
		}
	}
	return paths, total, nil
}

// of returns the number of a key's neighbourhood, from 1, and whether it is in the sample.
func (n *neighbourhoods) of(key []byte) (number int64, taken bool) {
	at := sort.Search(len(n.starts), func(i int) bool { return bytes.Compare(n.starts[i], key) > 0 })
	return int64(at) + 1, n.taken[at]
}
