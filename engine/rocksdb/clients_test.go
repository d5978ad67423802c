//go:build rocksdb

package rocksdb

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/internal/enginetest"
	"getio/internal/truth/truthtest"
)

// scaled makes trees of several levels from few keys. Everything else is the client's.
const scaled = "write_buffer_size=200000;target_file_size_base=100000;max_bytes_for_level_base=400000;"

// clientFamilies are column families with the options that clients set for their state, code and
// headers. Nethermind (DbConfig.cs) has a database for each, and Besu (RocksDBColumnarKeyValueStorage)
// a family with a name of one byte.
var clientFamilies = map[string]string{
	"nethermind state": "compression=kLZ4Compression;max_bytes_for_level_multiplier=30;target_file_size_multiplier=2;min_write_buffer_number_to_merge=2;" +
		"max_write_buffer_number=4;level_compaction_dynamic_level_bytes=false;memtable_whole_key_filtering=true;memtable_prefix_bloom_size_ratio=0.02;" +
		"optimize_filters_for_hits=true;block_based_table_factory={block_size=32000;block_restart_interval=4;data_block_index_type=kDataBlockBinaryAndHash;" +
		"data_block_hash_table_util_ratio=0.5;filter_policy=bloomfilter:15;format_version=5;index_type=kTwoLevelIndexSearch;partition_filters=true;" +
		"metadata_block_size=4096;pin_l0_filter_and_index_blocks_in_cache=true;cache_index_and_filter_blocks_with_high_priority=true;}",
	"nethermind code": "compression=kSnappyCompression;optimize_filters_for_hits=false;prefix_extractor=capped:8;memtable=prefix_hash:1000;" +
		"block_based_table_factory={index_type=kHashSearch;block_size=4096;format_version=5;filter_policy=nullptr;}",
	"nethermind headers": "compression=kSnappyCompression;level_compaction_dynamic_level_bytes=false;" +
		"block_based_table_factory={block_size=16000;filter_policy=bloomfilter:10;format_version=5;index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=4096;}",
	"\x0a": "compression=kLZ4Compression;ttl=0;" + // Besu; its partition_filters have no effect without partitioned indexes
		"block_based_table_factory={format_version=5;filter_policy=bloomfilter:10:false;cache_index_and_filter_blocks=false;block_size=32768;}",
	"\x01": truthtest.Besu,
}

// clientDatabase writes a database with the options of clients, in the given table format. Each
// family has so many keys.
func clientDatabase(t *testing.T, dir string, families map[string]string, format, keys int) {
	t.Helper()
	var in strings.Builder
	for name, options := range families {
		in.WriteString(truthtest.Family(name, scaled+strings.ReplaceAll(options, "format_version=5", fmt.Sprint("format_version=", format))))
	}
	truthtest.Ask(t, in.String(), "client", dir, fmt.Sprint(keys))
}

// TestClients: databases with the options of clients are read like any other, with the counts of
// RocksDB unmodified, and do not change. Clients keep the table format that their RocksDB defaulted to.
func TestClients(t *testing.T) {
	for format := 5; format <= newestFormat; format++ {
		t.Run(fmt.Sprint("format ", format), func(t *testing.T) { testClients(t, format) })
	}
}

func testClients(t *testing.T, format int) {
	dir := filepath.Join(t.TempDir(), "db")
	const keys = 12_000
	clientDatabase(t, dir, clientFamilies, format, keys)
	enginetest.RequireUnchanged(t, dir, func() {
		for name := range clientFamilies {
			s := storeOf(t, dir, "column_family="+familyText(name))
			assert.Len(t, s.Info().Families, len(clientFamilies)+1)
			assert.Equal(t, strings.Contains(clientFamilies[name], "enable_blob_files"), s.Shape().BlobFiles > 0, name)
			total := s.Shape().Total()
			assert.Contains(t, s.Info().TableFormats, fmt.Sprint("RocksDB ", format))
			assert.EqualValues(t, keys, total.Records, name)
			requireBlocks(t, s)
			assert.Greater(t, len(s.Shape().Levels), 1, name)
			assert.Equal(t, strings.HasSuffix(name, "code"), total.FilterBytes == 0, name)
			asked := drawn(t, s, 400)
			for _, cache := range []int64{0, 256 << 10, 64 << 20} {
				compareGets(t, s, name, asked, cache, 1000, "cached")
			}
			requireFound(t, s, asked)
		}
	})
}

// drawn draws keys, and puts one that does not exist behind each.
func drawn(t *testing.T, s engine.Store, n int) (keys [][]byte) {
	sampler, err := s.Sampler()
	require.NoError(t, err)
	defer sampler.Close()
	for _, key := range enginetest.Draw(t, sampler, 5, n) {
		absent := append([]byte{}, key...)
		absent[31]++
		keys = append(keys, key, absent)
	}
	return keys
}

// requireFound requires that every other key exists, and that the run's checks hold.
func requireFound(t *testing.T, s engine.Store, keys [][]byte) {
	d := openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20})
	run := enginetest.Measured(t, d, func() {
		for i, key := range keys {
			_, found, err := d.Get(key, nil)
			require.NoError(t, err)
			require.Equal(t, i%2 == 0, found, "%x", key)
		}
	})
	assert.Positive(t, run.Reads.Count.Sum())
}
