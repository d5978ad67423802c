package goleveldb

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"getio/tree/lsm"
)

// TestSampledSharedKeys counts the keys that two tables of L0 have in common. The older one has 20,000 keys, the
// newer one every fourth of them and 5,000 others.
func TestSampledSharedKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(change func(*leveldb.Batch)) {
		db, err := leveldb.OpenFile(dir, &opt.Options{CompactionL0Trigger: 100, BlockSize: 512})
		require.NoError(t, err)
		batch := new(leveldb.Batch)
		change(batch)
		require.NoError(t, db.Write(batch, nil))
		require.NoError(t, db.Close())
	}
	key := func(n int) []byte { return fmt.Appendf(nil, "key %06d", n) }
	write(func(b *leveldb.Batch) {
		for n := range 20_000 {
			b.Put(key(n), []byte("a value of some bytes"))
		}
	})
	write(func(b *leveldb.Batch) {
		for n := range 5000 {
			if b.Delete(key(4 * n)); n%2 == 0 {
				b.Put(key(4*n), []byte("another value"))
			}
			b.Put(key(100_000+n), []byte("a key that no other table has"))
		}
	})
	write(func(*leveldb.Batch) {}) // opening it writes the log to a table
	config, err := Engine.Configure("", nil)
	require.NoError(t, err)
	s, err := Engine.OpenStore(t.Context(), dir, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	old, recent := lsm.SortedRun{}, lsm.SortedRun{Sublevel: 1}
	for _, most := range []int64{1e6, 1000} {
		searched := 0
		shared, err := s.TreeSampler().SampleSharedKeys(t.Context(), most, func(done, all int) {
			searched++
			assert.Equal(t, [2]int{searched, 4}, [2]int{done, all})
		})
		require.NoError(t, err)
		assert.Equal(t, 4, searched)
		require.Len(t, shared, 2)
		assert.Equal(t, [2]lsm.SortedRun{old, recent}, [2]lsm.SortedRun{shared[0].Of, shared[0].In})
		assert.Equal(t, [2]lsm.SortedRun{recent, old}, [2]lsm.SortedRun{shared[1].Of, shared[1].In})
		assert.InDelta(t, 0.25, shared[0].Share, 0.04, "of the older table's records, most %d", most)
		// Of the newer table's records that set a key, a third are of keys that the older table has.
		assert.InDelta(t, 1.0/3, shared[1].Share, 0.07, "of the newer table's records, most %d", most)
	}
}
