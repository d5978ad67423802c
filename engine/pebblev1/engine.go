// Package pebblev1 measures github.com/cockroachdb/pebble v1, unmodified.
package pebblev1

import (
	"fmt"

	"github.com/cockroachdb/pebble"

	"getio/engine"
	"getio/engine/pebbledb"
)

const modulePath = "github.com/cockroachdb/pebble"

var library = &pebbledb.Library{
	Name:         "pebblev1",
	Presets:      []string{"bench_kvdb", "geth-v1", "pebble"},
	Compressions: []string{"snappy", "none", "zstd"},
	MinFormat:    int(pebble.FormatMostCompatible),
	MaxFormat:    int(pebble.FormatNewest),
}

type pebbleV1 struct{}

// Engine is Pebble v1.
var Engine engine.Engine = pebbleV1{}

func (pebbleV1) Name() string      { return library.Name }
func (pebbleV1) Version() string   { return engine.ModuleVersion(modulePath) }
func (pebbleV1) Presets() []string { return library.Presets }

func (pebbleV1) Configure(preset string, overrides []string) (engine.Config, error) {
	return library.Configure(preset, overrides)
}

func (e pebbleV1) Recognise(dir string) (engine.Found, error) {
	d, err := e.directory(dir)
	if err != nil {
		return engine.Found{}, err
	}
	return engine.Found{Format: d.Format}, nil
}

// directory recognises the database in dir and holds its format against what
// the library reads.
func (e pebbleV1) directory(dir string) (*pebbledb.Directory, error) {
	d, err := pebbledb.ReadDirectory(dir)
	if err != nil {
		return nil, err
	}
	if d.Format > library.MaxFormat {
		return nil, fmt.Errorf("%s has format %d, and Pebble %s reads formats up to %d: use 'getio measure' with --engine pebblev2, which reads newer ones", dir, d.Format, e.Version(), library.MaxFormat)
	}
	return d, nil
}
