package goleveldb

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"

	"getio/engine/lsm"
)

// TestSampledKeys counts the records that Gets find in two tables of L0. The older one has 20,000 keys. The newer one
// deletes every eighth of them, sets as many anew with a deletion before, and has 5,000 others.
func TestSampledKeys(t *testing.T) {
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
		keys, err := s.TreeSampler().SampleKeys(t.Context(), most, func(done, all int) {
			searched++
			assert.Equal(t, [2]int{searched, 4}, [2]int{done, all})
		})
		require.NoError(t, err)
		assert.Equal(t, 4, searched)
		shape := keys.Describe(s.Shape().EachTable(func(_ int, table *lsm.Table) { // tables do not state their records
			table.Records = map[int]int64{0: 20_000, 1: 12_500}[table.Sublevel]
		}))
		live := map[int]float64{}
		for _, table := range shape.Levels[0].TableList {
			live[table.Sublevel] = float64(*table.LiveRecords)
		}
		assert.InDelta(t, 15_000, live[0], 800, "most %d", most)
		assert.InDelta(t, 7_500, live[1], 800, "most %d", most)
		// LevelDB looks in the older table too, in which it finds a third of the newer one's keys.
		require.Len(t, shape.OlderRecords, 1)
		older := shape.OlderRecords[0]
		assert.Equal(t, lsm.OlderRecords{Of: recent, In: old, Visits: 1, Finds: older.Finds}, older)
		assert.InDelta(t, 1.0/3, older.Finds, 0.07, "most %d", most)
	}
}
