package goleveldb

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/comparer"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"

	"getio/engine"
	"getio/engine/goleveldb/ldbfile"
	"getio/engine/readpath"
	"getio/internal/enginetest"
)

// originalKey is a key of testdata/original.cc.
func originalKey(n uint64) []byte { return fmt.Appendf(nil, "%016x", n*0x9e3779b97f4a7c15) }

// openRecognised opens a copy of a database with the options that its files state.
func openRecognised(t *testing.T, from string, o engine.OpenConfig, overrides ...string) (engine.Store, *db) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db") // reading takes a lock
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	found, err := Engine.Recognise(dir)
	require.NoError(t, err)
	cfg, err := Engine.Configure("", append(found.Options, overrides...))
	require.NoError(t, err)
	tree := &enginetest.Tree{Engine: Engine, Dir: dir, Config: cfg}
	return tree.Store(t), open(t, tree, o)
}

// TestReadsLikeOriginal makes the Gets of testdata/original.cc, where LevelDB in C++ makes them and its Env counts.
func TestReadsLikeOriginal(t *testing.T) {
	table, err := os.ReadFile("testdata/original.txt")
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	require.Len(t, rows, 8)
	const gets = 20_000
	for _, row := range rows {
		var cache, absent, reads, opens int64
		_, err := fmt.Sscan(row, &cache, &absent, &reads, &opens)
		require.NoError(t, err)
		s, d := openRecognised(t, "testdata/original", engine.OpenConfig{CacheBytes: cache})
		run := enginetest.Measured(t, d, func() {
			for i := range uint64(gets) {
				_, found, err := d.Get(originalKey(2*(i*i%1000003%6000)+uint64(absent)), nil)
				require.NoError(t, err)
				require.Equal(t, absent == 0, found)
			}
		})
		// goleveldb searches on in L0 after it has found a key. Which blocks share a shard of the cache depends on how
		// often tables were opened before.
		assert.InDelta(t, float64(reads)/gets, float64(run.Reads.Count.Sum())/gets, 0.005, "reads with a cache of %d bytes, absent %d", cache, absent)
		assert.Equal(t, opens, run.TableCacheMisses, row)
		assert.Equal(t, 4*opens, run.Reads.Count[readpath.TableOpen], row)
		assert.NotZero(t, s.Shape().Total().FilterBytes)
		assert.Contains(t, s.Info().ReadAs, "LevelDB in C++ (filters: leveldb.BuiltinBloomFilter2 in 4 tables)")
	}
}

// TestOriginalReopensTables: LevelDB in C++ keeps these 60 tables open, but of those whose numbers share a shard only four.
// A table that is closed gives up its index and filter.
func TestOriginalReopensTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	level, err := leveldb.OpenFile(dir, &opt.Options{
		CompactionTableSize: 2 << 10, BlockSize: 512, Filter: (&accesses{}).filter(ldbfile.OriginalFilters, 10),
	})
	require.NoError(t, err)
	for i := range uint64(5000) {
		require.NoError(t, level.Put(originalKey(i), make([]byte, 50), nil))
	}
	require.NoError(t, level.CompactRange(util.Range{}))
	require.NoError(t, level.Close())
	_, d := openRecognised(t, dir, engine.OpenConfig{CacheBytes: 64 << 20}, "max_open_files=74")
	run := enginetest.Measured(t, d, func() {
		for range 3 {
			for i := range uint64(5000) {
				_, found, err := d.Get(originalKey(i), nil)
				require.NoError(t, err)
				require.True(t, found)
			}
		}
	})
	tables := int64(len(d.storage.dir.tables))
	assert.Greater(t, run.TableCacheMisses, tables, "no table was opened again")
	assert.Less(t, run.TableCacheMisses, run.TableCacheHits, "tables are not kept open")
	assert.Equal(t, 4*run.TableCacheMisses, run.Reads.Count[readpath.TableOpen], "footer, metaindex, index and filter")
	assert.Less(t, len(d.storage.held.tables), int(tables), "blocks of closed tables are kept")
}

// TestClientByFilters: the client follows the name of the filters, unless the user chooses one.
func TestClientByFilters(t *testing.T) {
	tree := grow(t)
	s, d := openRecognised(t, tree.Dir, engine.OpenConfig{CacheBytes: 1 << 20})
	assert.Empty(t, s.Info().ReadAs)
	assert.Equal(t, 1, d.Cache().Shards)
	s, d = openRecognised(t, tree.Dir, engine.OpenConfig{}, "client=leveldb")
	assert.Contains(t, s.Info().ReadAs, "LevelDB in C++ (filters: leveldb.BuiltinBloomFilter in ")
	assert.Zero(t, s.Shape().Total().FilterBytes, "LevelDB in C++ does not consult filters of another name")
	assert.Equal(t, 16, d.Cache().Shards)
	s, _ = openRecognised(t, "testdata/original", engine.OpenConfig{}, "client=goleveldb")
	assert.Zero(t, s.Shape().Total().FilterBytes)
	assert.Contains(t, s.Info().ReadAs, "goleveldb (filters: leveldb.BuiltinBloomFilter2 in 4 tables), which consults only")
	_, err := Engine.Create(t.TempDir(), must(Engine.Configure("", []string{"client=leveldb"})))
	assert.ErrorContains(t, err, "leave the option out")
}

func must(cfg engine.Config, err error) engine.Config {
	if err != nil {
		panic(err)
	}
	return cfg
}

// TestUnsupportedIsNotDamage: what goleveldb cannot read of an intact database is named.
func TestUnsupportedIsNotDamage(t *testing.T) {
	write := func(o *opt.Options) string {
		dir := filepath.Join(t.TempDir(), "db")
		level, err := leveldb.OpenFile(dir, o)
		require.NoError(t, err)
		require.NoError(t, level.Put([]byte("key"), make([]byte, 100), nil))
		require.NoError(t, level.CompactRange(util.Range{}))
		require.NoError(t, level.Close())
		return dir
	}
	zstd := write(nil)
	tables, err := filepath.Glob(filepath.Join(zstd, "*.ldb"))
	require.NoError(t, err)
	require.Len(t, tables, 1)
	table, err := os.ReadFile(tables[0])
	require.NoError(t, err)
	// The index block ends before the footer; its trailer is a type and a checksum.
	end := len(table) - 48
	_, n := binary.Uvarint(table[end:])
	_, m := binary.Uvarint(table[end+n:])
	at, k := binary.Uvarint(table[end+n+m:])
	size, _ := binary.Uvarint(table[end+n+m+k:])
	table[at+size] = 2
	binary.LittleEndian.PutUint32(table[at+size+1:], util.NewCRC(table[at:at+size+1]).Value())
	require.NoError(t, os.WriteFile(tables[0], table, 0o600))
	for dir, says := range map[string]string{
		write(&opt.Options{Comparer: otherOrder{comparer.DefaultComparer}}): `its comparer is "idb_cmp1", and getio only reads databases ordered by`,
		zstd: "has compression 2 (kZstdCompression of C++ LevelDB), which goleveldb does not read",
	} {
		_, err := Engine.OpenStore(t.Context(), dir, must(Engine.Configure("", nil)))
		assert.ErrorContains(t, err, says)
		assert.NotContains(t, fmt.Sprint(err), "restore it")
	}
}

type otherOrder struct{ comparer.Comparer }

func (otherOrder) Name() string { return "idb_cmp1" }
