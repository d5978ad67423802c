package pebbledb

import (
	"maps"
	"testing"
)

func TestWrittenOptions(t *testing.T) {
	dir := fabricate(t, map[string]string{"OPTIONS-000004": `[Version]
  pebble_version=0.1

[Options]
  cache_size=8388608
  merger=pebble.concatenate
  table_property_collectors=[]
  empty=

[Level "0"]
  block_size=4096
  filter_policy=rocksdb.BuiltinBloomFilter
[Level "1"]
  block_size=512
no equals sign
`})
	d := &Directory{Path: dir, Options: "OPTIONS-000004"}
	got, err := d.WrittenOptions()
	check(t, err)
	want := map[string]string{
		"Version.pebble_version": "0.1", "Options.cache_size": "8388608", "Options.merger": "pebble.concatenate",
		"Options.table_property_collectors": "[]", "Options.empty": "",
		`Level "0".block_size`: "4096", `Level "0".filter_policy`: "rocksdb.BuiltinBloomFilter", `Level "1".block_size`: "512",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	d.Options = "OPTIONS-000005"
	if _, err := d.WrittenOptions(); err == nil {
		t.Error("a missing options file was read")
	}
}
