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
	"getio/engine/readpath"
)

// TestEveryOptionIsInAClass: the library that is linked has no option of which getio does not know what it does to reads.
func TestEveryOptionIsInAClass(t *testing.T) {
	section, count := "", 0
	for line := range strings.SplitSeq(defaultOptions(), "\n") {
		name, _, ok := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case ok && !(section == tableSection && name == "{id"):
			count++
			assert.True(t, known(section, name), "[%s] %s", section, name)
		}
	}
	assert.Greater(t, count, 140)
	seen := map[string]string{}
	for class, options := range map[string]map[string][]string{"kept": kept, "examined": examined, "irrelevant": irrelevant} {
		for section, names := range options {
			for _, name := range names {
				assert.Empty(t, seen[section+"."+name], "%s is %s too", name, class)
				seen[section+"."+name] = class
			}
		}
	}
	assert.False(t, known(tableSection, "max_open_files"))
}

// optionFamilies are column families whose options decide what Gets read.
var optionFamilies = map[string]string{
	"default": "compression=kNoCompression;block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10;}",
	"prefixes": "compression=kNoCompression;prefix_extractor=rocksdb.FixedPrefix.8;" +
		"block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10;whole_key_filtering=false;cache_index_and_filter_blocks=true;}",
	"cached":   "compression=kNoCompression;block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10;cache_index_and_filter_blocks=true;}",
	"priority": "compression=kNoCompression;block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10;cache_index_and_filter_blocks=true;cache_index_and_filter_blocks_with_high_priority=false;}",
	"pinned": "compression=kNoCompression;block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10;index_type=kTwoLevelIndexSearch;partition_filters=true;metadata_block_size=512;" +
		"cache_index_and_filter_blocks=true;metadata_cache_options={top_level_index_pinning=kAll;partition_pinning=kAll;unpartitioned_pinning=kAll;};}",
	"hash": "compression=kNoCompression;prefix_extractor=rocksdb.CappedPrefix.4;memtable=prefix_hash:1000;" +
		"block_based_table_factory={index_type=kHashSearch;block_size=1024;filter_policy=nullptr;}",
	"hits": "compression=kNoCompression;optimize_filters_for_hits=true;block_based_table_factory={block_size=1024;filter_policy=bloomfilter:10;cache_index_and_filter_blocks=true;}",
}

// TestOptionsOfTheFamily: each column family is read as RocksDB reads it with the options that its options file states
// for that family, and the default family, which has tables too, does not matter.
func TestOptionsOfTheFamily(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	clientDatabase(t, dir, optionFamilies, 5, 8000)
	for name := range optionFamilies {
		t.Run(name, func(t *testing.T) {
			found, err := Engine.Recognise(dir, "column_family="+name)
			require.NoError(t, err)
			s := storeOf(t, dir, append(found.Options, "column_family="+name)...)
			assert.Empty(t, s.Info().Warnings())
			assert.Equal(t, name != "hash", s.Shape().Total().FilterBytes > 0)
			keys := drawn(t, s, 600)
			for _, cache := range []int64{0, 256 << 10, 64 << 20} {
				compareGets(t, s, name, keys, cache, 1000, "own")
			}
		})
	}
}

// TestFiltersThatGetsDoNotConsult: without the prefix extractor of the tables, with no filter policy, and in the last
// level where the options say so, Gets read no filter, and the shape has none.
func TestFiltersThatGetsDoNotConsult(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	clientDatabase(t, dir, optionFamilies, 5, 4000)
	for _, c := range []struct {
		family, option string
		consulted      bool
	}{
		{"prefixes", "prefix_extractor=rocksdb.FixedPrefix.7", false},
		{"prefixes", "prefix_extractor=nullptr", false},
		{"prefixes", "prefix_extractor=fixed:8", true},
		{"cached", "filter_policy=nullptr", false},
		{"cached", "whole_key_filtering=false", false},
		{"cached", "cache=lru", true},
	} {
		found, err := Engine.Recognise(dir, "column_family="+c.family)
		require.NoError(t, err)
		s := storeOf(t, dir, append(found.Options, "column_family="+c.family, c.option)...)
		assert.Equal(t, c.consulted, s.Shape().Total().FilterBytes > 0, c.option)
		d := openDB(t, s, engine.OpenConfig{})
		before := d.Counts()
		for _, key := range drawn(t, s, 50) {
			_, _, err := d.Get(key, nil)
			require.NoError(t, err)
		}
		run := d.Counts().Sub(before)
		assert.Equal(t, c.consulted, run.Reads.Count[readpath.Filter] > 0, "%s: %+v", c.option, run)
	}
}

// TestOptionsThatAreNotApplied: an option with which the client reads otherwise, and one that getio does not know, is
// named; and so is a value that the library does not know.
func TestOptionsThatAreNotApplied(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	clientDatabase(t, dir, map[string]string{"state": "num_levels=7;"}, 5, 100)
	file := newestOptions(t, dir)
	replaceIn(t, file, "use_direct_reads=false", "use_direct_reads=true")
	for _, change := range []string{"no_block_cache=false", "prefix_extractor=nullptr"} {
		name, _, _ := strings.Cut(change, "=")
		replaceIn(t, file, change, map[string]string{"no_block_cache": "no_block_cache=true\n  read_twice=1", "prefix_extractor": "prefix_extractor=client.Words"}[name])
	}
	found, err := Engine.Recognise(dir, "column_family=state")
	require.NoError(t, err)
	s := storeOf(t, dir, append(found.Options, "column_family=state")...)
	want := fmt.Sprintf("the client of %s may read it otherwise than getio: with use_direct_reads=true, the client's reads bypass the page cache, as with --page-cache bypass; "+
		"with no_block_cache=true, the client has no block cache, as with --cache 0; read_twice=1 is not known to getio; RocksDB %s cannot apply its prefix_extractor", dir, libraryVersion())
	assert.Equal(t, []string{want}, s.Info().Warnings())
}
