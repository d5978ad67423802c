//go:build rocksdb

package rocksdb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/ondisk"
	"getio/internal/truth/truthtest"
)

func configured(t *testing.T, preset string, overrides ...string) engine.Config {
	t.Helper()
	c, err := Engine.Configure(preset, overrides)
	require.NoError(t, err)
	return c
}

// written returns the options file that the library wrote in a directory.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	options, err := ondisk.Options(newestOptions(t, dir))
	require.NoError(t, err)
	return options
}

// created makes a database and returns its options file.
func created(t *testing.T, c engine.Config) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	l, err := Engine.Create(dir, c)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return written(t, dir)
}

// The preset rocksdb makes the same options file as RocksDB with no option set, except that
// a load refuses an existing database, makes no retries after an error of the device, and fails
// without its options file.
func TestPresetRocksdbIsTheLibrarysDefaults(t *testing.T) {
	if version := libraryVersion(); !strings.HasPrefix(version, "7.") {
		t.Skipf("the preset has the defaults of RocksDB 7.8, not of %s", version)
	}
	dir := filepath.Join(t.TempDir(), "defaults")
	truthtest.Ask(t, "", "defaults", dir)
	want, got := written(t, dir), created(t, configured(t, "rocksdb"))
	for _, own := range []string{"max_bgerror_resume_count", "error_if_exists", "fail_if_options_file_error"} {
		delete(want, "DBOptions."+own)
		delete(got, "DBOptions."+own)
	}
	require.GreaterOrEqual(t, len(want), 100)
	for name, value := range want {
		assert.Equal(t, value, got[name], name)
	}
}

// Each option changes the options file.
func TestOptionsReachTheLibrary(t *testing.T) {
	const table, family = `TableOptions/BlockBasedTable "default".`, `CFOptions "default".`
	for override, want := range map[string]string{
		"block_size=8KiB":                              table + "block_size=8192",
		"metadata_block_size=1KiB":                     table + "metadata_block_size=1024",
		"block_restart_interval=7":                     table + "block_restart_interval=7",
		"index_block_restart_interval=3":               table + "index_block_restart_interval=3",
		"format_version=3":                             table + "format_version=3",
		"bloom_bits=12":                                table + "filter_policy=bloomfilter:12:false",
		"index_type=binary":                            table + "index_type=kBinarySearch",
		"cache_index_and_filter_blocks=no":             "",
		"cache_index_and_filter_blocks=false":          table + "cache_index_and_filter_blocks=false",
		"pin_l0_filter_and_index_blocks_in_cache=true": table + "pin_l0_filter_and_index_blocks_in_cache=true",
		"pin_top_level_index_and_filter=true":          table + "pin_top_level_index_and_filter=true",
		"optimize_filters_for_hits=true":               family + "optimize_filters_for_hits=true",
		"compression=zstd":                             family + "compression=kZSTD",
		"write_buffer_size=1MiB":                       family + "write_buffer_size=1048576",
		"max_write_buffer_number=5":                    family + "max_write_buffer_number=5",
		"target_file_size_base=1MiB":                   family + "target_file_size_base=1048576",
		"target_file_size_multiplier=3":                family + "target_file_size_multiplier=3",
		"max_bytes_for_level_base=1MiB":                family + "max_bytes_for_level_base=1048576",
		"max_bytes_for_level_multiplier=5":             family + "max_bytes_for_level_multiplier=5.000000",
		"level_compaction_dynamic_level_bytes=false":   family + "level_compaction_dynamic_level_bytes=false",
		"level0_file_num_compaction_trigger=3":         family + "level0_file_num_compaction_trigger=3",
		"level0_slowdown_writes_trigger=11":            family + "level0_slowdown_writes_trigger=11",
		"level0_stop_writes_trigger=13":                family + "level0_stop_writes_trigger=13",
		"max_background_jobs=3":                        "DBOptions.max_background_jobs=3",
		"max_open_files=77":                            "DBOptions.max_open_files=77",
	} {
		overrides := []string{override}
		if override == "index_type=binary" {
			overrides = append(overrides, "partition_filters=false")
		}
		c, err := Engine.Configure("", overrides)
		if want == "" {
			assert.Error(t, err, "%s was accepted", override)
			continue
		}
		require.NoError(t, err)
		name, value, _ := strings.Cut(want, "=")
		assert.Equal(t, value, created(t, c)[name], "%s: %s", override, name)
	}
	assert.Equal(t, "true", created(t, configured(t, ""))[table+"partition_filters"])
}

func TestRecogniseReadsTheOptionsFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	l, err := Engine.Create(dir, configured(t, "", "cache_index_and_filter_blocks=false", "optimize_filters_for_hits=true"))
	require.NoError(t, err)
	require.NoError(t, l.Close())
	found, err := Engine.Recognise(dir)
	require.NoError(t, err)
	want := []string{
		"cache_index_and_filter_blocks=false", "cache_index_and_filter_blocks_with_high_priority=true", "filter_policy=bloomfilter:10:false",
		"max_open_files=" + written(t, dir)["DBOptions.max_open_files"],
		"metadata_cache_options={unpartitioned_pinning=kFallback;partition_pinning=kFallback;top_level_index_pinning=kFallback;}", "optimize_filters_for_hits=true",
		"pin_l0_filter_and_index_blocks_in_cache=false", "pin_top_level_index_and_filter=false",
		"prefix_extractor=nullptr", "whole_key_filtering=true",
	}
	assert.Equal(t, strings.Join(want, " "), strings.Join(found.Options, " "), found.Options)
}

// newestOptions is the newest options file of a database.
func newestOptions(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	require.NoError(t, err)
	return files[len(files)-1]
}

// replaceIn replaces a text that occurs in a file.
func replaceIn(t *testing.T, file, old, with string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(content), old)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(content), old, with)), 0o600))
}
