//go:build rocksdb

package rocksdb

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/internal/enginetest"
)

// blockReads holds the distinct reads of one table by component.
type blockReads map[readpath.Component]map[region.Extent]bool

// requireBlocks looks up the first key of every data block without a cache, and requires that
// the blocks that RocksDB reads are those that the catalog lists: the same data blocks, and of
// filter and index partitions as many as fill their extents. The checks of the run compare the
// number of each kind with RocksDB's.
func requireBlocks(t *testing.T, s engine.Store) {
	t.Helper()
	reads := map[uint64]blockReads{}
	var mu sync.Mutex // RocksDB opens tables in several threads
	d := openDB(t, s, engine.OpenConfig{MaxOpenFiles: 1000, Trace: func(r engine.TableRead) {
		mu.Lock()
		defer mu.Unlock()
		of := reads[r.File]
		if of == nil {
			of = blockReads{}
			reads[r.File] = of
		}
		if of[r.Component] == nil {
			of[r.Component] = map[region.Extent]bool{}
		}
		of[r.Component][region.Extent{Off: r.Offset, End: r.Offset + int64(r.Length)}] = true
	}})
	blocks := map[uint64][]region.Extent{}
	enginetest.Measured(t, d, func() {
		for _, table := range s.(*store).catalog.Tables {
			list, firsts := listBlocks(t, table)
			blocks[table.Ref.File] = list
			for _, key := range firsts {
				_, found, err := d.Get(key, nil)
				require.NoError(t, err)
				require.True(t, found, "%x", key)
			}
		}
	})
	for _, table := range s.(*store).catalog.Tables {
		of, m := reads[table.Ref.File], &table.Regions
		assert.Equal(t, blocks[table.Ref.File], sorted(of[readpath.Data]), "data blocks of table %d", table.Ref.File)
		if m.Index.End > m.Index.Off && len(of[readpath.Index]) > 0 {
			requireFilled(t, m.Index, sorted(of[readpath.Index]), table.Shape().IndexBlocks)
		}
		if of := sorted(of[readpath.Filter]); m.FilterPartitions.End > m.FilterPartitions.Off && len(of) > 0 {
			partitions := slices.DeleteFunc(of, func(e region.Extent) bool { return e == m.Filter })
			requireFilled(t, m.FilterPartitions, partitions, table.Shape().FilterBlocks)
		}
	}
}

// listBlocks lists a table's data blocks and the first key in each.
func listBlocks(t *testing.T, table catalog.Table) (list []region.Extent, firsts [][]byte) {
	t.Helper()
	f, err := table.Open()
	require.NoError(t, err)
	defer f.Close()
	index, err := table.ReadIndex(f, true)
	require.NoError(t, err)
	require.Equal(t, table.DataBlocks(), index.Len())
	for n := range index.Len() {
		b, err := index.At(f, n)
		require.NoError(t, err)
		list = append(list, b.Extent)
		d, err := index.Read(f, n)
		require.NoError(t, err)
		for r, err := range d.Records {
			require.NoError(t, err)
			firsts = append(firsts, slices.Clone(r.Key))
			break
		}
	}
	return list, firsts
}

func sorted(of map[region.Extent]bool) (list []region.Extent) {
	for e := range of {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b region.Extent) int { return cmp.Compare(a.Off, b.Off) })
	return list
}

// requireFilled requires n blocks that fill an extent without gaps.
func requireFilled(t *testing.T, all region.Extent, blocks []region.Extent, n int64) {
	t.Helper()
	assert.Len(t, blocks, int(n))
	at := all.Off
	for _, b := range blocks {
		assert.Equal(t, at, b.Off)
		at = b.End
	}
	assert.Equal(t, all.End, at)
}
