//go:build rocksdb

package rocksdb

import (
	"path/filepath"
	"strings"
	"testing"

	"getio/engine"
	"getio/engine/ondisk"
)

func configured(t *testing.T, preset string, overrides ...string) engine.Config {
	t.Helper()
	c, err := Engine.Configure(preset, overrides)
	check(t, err)
	return c
}

// written returns the options file that the library wrote in a directory.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	check(t, err)
	options, err := ondisk.Options(files[len(files)-1])
	check(t, err)
	return options
}

// created makes a database and returns its options file.
func created(t *testing.T, c engine.Config) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	l, err := Engine.Create(dir, c)
	check(t, err)
	check(t, l.Close())
	return written(t, dir)
}

// The preset rocksdb makes the same options file as RocksDB with no option set, except that
// a load refuses an existing database and makes no retries after an error of the device.
func TestPresetRocksdbIsTheLibrarysDefaults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "defaults")
	askTruth(t, "", "defaults", dir)
	want, got := written(t, dir), created(t, configured(t, "rocksdb"))
	for _, own := range []string{"max_bgerror_resume_count", "error_if_exists"} {
		delete(want, "DBOptions."+own)
		delete(got, "DBOptions."+own)
	}
	if len(want) < 100 {
		t.Fatalf("only %d options", len(want))
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %s, the library has %s", name, got[name], value)
		}
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
			if err == nil {
				t.Errorf("%s was accepted", override)
			}
			continue
		}
		check(t, err)
		name, value, _ := strings.Cut(want, "=")
		if got := created(t, c)[name]; got != value {
			t.Errorf("%s: the library states %s=%s", override, name, got)
		}
	}
	if got := created(t, configured(t, ""))[table+"partition_filters"]; got != "true" {
		t.Errorf("partition_filters=%s", got)
	}
}

func TestRecogniseReadsTheOptionsFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	l, err := Engine.Create(dir, configured(t, "", "cache_index_and_filter_blocks=false", "optimize_filters_for_hits=true"))
	check(t, err)
	check(t, l.Close())
	found, err := Engine.Recognise(dir)
	check(t, err)
	want := []string{
		"cache_index_and_filter_blocks=false", "optimize_filters_for_hits=true",
		"pin_l0_filter_and_index_blocks_in_cache=false", "pin_top_level_index_and_filter=false",
	}
	if strings.Join(found.Options, " ") != strings.Join(want, " ") {
		t.Errorf("%v", found.Options)
	}
}
