// Package pebblev2 measures github.com/cockroachdb/pebble/v2, unmodified.
package pebblev2

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/block"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

const modulePath = "github.com/cockroachdb/pebble/v2"

var library = &pebbledb.Library{
	Name:         "pebblev2",
	Presets:      []string{"bench_kvdb", "geth", "pebble"},
	Compressions: []string{"snappy", "none", "zstd", "minlz", "fastest", "fast", "balanced", "good"},
	MinFormat:    int(pebble.FormatMinSupported),
	MaxFormat:    int(pebble.FormatNewest),
}

type pebbleV2 struct{}

// Engine is Pebble v2.
var Engine engine.Engine = pebbleV2{}

func (pebbleV2) Name() string      { return library.Name }
func (pebbleV2) Version() string   { return engine.ModuleVersion(modulePath) }
func (pebbleV2) Presets() []string { return library.Presets }

// BlockOverhead implements pebblestore.Library: the library keeps room for what it
// decodes of each block beside it (sstable/block/block.go, MetadataSize).
func (pebbleV2) BlockOverhead() int64 { return block.MetadataSize }

func (pebbleV2) Configure(preset string, overrides []string) (engine.Config, error) {
	return library.Configure(preset, overrides)
}

func (e pebbleV2) Recognise(dir string) (engine.Recognised, error) {
	d, err := e.directory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{Format: d.Format}, nil
}

// directory recognises the database in dir and holds its format against what
// the library reads.
func (e pebbleV2) directory(dir string) (*pebbledb.Directory, error) {
	d, err := pebbledb.ReadDirectory(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case d.Format > library.MaxFormat:
		return nil, fmt.Errorf("%s has format %d, and Pebble %s reads formats up to %d: it was written by a newer Pebble, for which getio needs an update",
			dir, d.Format, e.Version(), library.MaxFormat)
	case d.Format < library.MinFormat:
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf(
			"%s has format %d, and Pebble %s reads formats from %d on: use --engine pebblev1",
			dir, d.Format, e.Version(), library.MinFormat)}
	}
	return d, nil
}
