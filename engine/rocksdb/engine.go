//go:build rocksdb

package rocksdb

import (
	"slices"

	"getio/engine"
)

type rocksDB struct{}

// Engine is RocksDB.
var Engine engine.Engine = rocksDB{}

// Missing reports whether this binary was built without the library.
const Missing = false

func (rocksDB) Name() string      { return name }
func (rocksDB) Version() string   { return libraryVersion() }
func (rocksDB) Presets() []string { return configs.PresetNames() }

func (rocksDB) Configure(preset string, overrides []string) (engine.Config, error) {
	return configs.Configure(preset, overrides)
}

func (rocksDB) Recognise(dir string) (engine.Recognised, error) {
	d, err := readDirectory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{Options: d.readingOptions()}, d.requireTable()
}

// readingOptions returns the options for reading that the database's own options file states.
func (d *directory) readingOptions() (options []string) {
	for name, section := range map[string]string{
		"cache_index_and_filter_blocks":           `TableOptions/BlockBasedTable "default"`,
		"pin_l0_filter_and_index_blocks_in_cache": `TableOptions/BlockBasedTable "default"`,
		"pin_top_level_index_and_filter":          `TableOptions/BlockBasedTable "default"`,
		"optimize_filters_for_hits":               `CFOptions "default"`,
	} {
		if value, ok := d.written[section+"."+name]; ok {
			options = append(options, name+"="+value)
		}
	}
	slices.Sort(options)
	return options
}
