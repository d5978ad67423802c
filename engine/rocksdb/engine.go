//go:build rocksdb

package rocksdb

import (
	"strings"

	"getio/engine"
)

type rocksDB struct{}

// Engine is RocksDB.
var Engine engine.Engine = rocksDB{}

// Missing reports whether this binary was built without the library.
const Missing = false

func (rocksDB) Name() string      { return name }
func (rocksDB) Version() string   { return libraryVersion() }
func (rocksDB) Linked() string    { return linked() }
func (rocksDB) Presets() []string { return configs.PresetNames() }

func (rocksDB) Configure(preset string, overrides []string) (engine.Config, error) {
	return configs.Configure(preset, overrides)
}

func (rocksDB) Recognise(dir string, choices ...string) (engine.Recognised, error) {
	d, err := readDirectory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	family := defaultFamily
	for _, choice := range choices {
		if name, ok := strings.CutPrefix(choice, "column_family="); ok {
			family = familyName(name)
		}
	}
	return engine.Recognised{Options: d.readingOptions(family)}, d.requireTable()
}
