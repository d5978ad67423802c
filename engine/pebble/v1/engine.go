// Package pebblev1 measures github.com/cockroachdb/pebble v1, unmodified.
package pebblev1

import (
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

const modulePath = "github.com/cockroachdb/pebble"

var library = &pebbledb.Library{
	Name:    "pebblev1",
	Presets: []string{"bench_kvdb", "geth-v1", "pebble"},
	// Not zstd: v1 does not read what it wrote with the newer library for it
	// that v2 needs.
	Compressions: []string{"snappy", "none"},
	MinFormat:    int(pebble.FormatMostCompatible),
	MaxFormat:    int(pebble.FormatNewest),
}

type pebbleV1 struct{}

// Engine is Pebble v1.
var Engine engine.Engine = pebbleV1{}

func (pebbleV1) Name() string      { return library.Name }
func (pebbleV1) Version() string   { return engine.ModuleVersion(modulePath) }
func (pebbleV1) Presets() []string { return library.Presets }

// BlockOverhead implements pebblestore.Library.
func (pebbleV1) BlockOverhead() int64 { return 0 }

func (pebbleV1) Configure(preset string, overrides []string) (engine.Config, error) {
	return library.Configure(preset, overrides)
}

func (e pebbleV1) Recognise(dir string) (engine.Recognised, error) {
	d, err := e.directory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{Format: d.Format}, nil
}

// directory recognises the database in dir and holds its format against what
// the library reads.
func (e pebbleV1) directory(dir string) (*pebbledb.Directory, error) {
	d, err := pebbledb.ReadDirectory(dir)
	if err != nil {
		return nil, err
	}
	if d.Format > library.MaxFormat {
		return nil, &engine.OtherEngineError{Text: fmt.Sprintf(
			"%s has format %d, and Pebble %s reads formats up to %d: use 'getio measure' with --engine pebblev2, which reads newer ones",
			dir, d.Format, e.Version(), library.MaxFormat)}
	}
	return d, e.checkCompression(d)
}

// checkCompression refuses databases that v1 would call damaged, because it
// cannot decompress their blocks in this binary.
func (e pebbleV1) checkCompression(d *pebbledb.Directory) error {
	written, err := d.WrittenOptions()
	if err != nil {
		return err
	}
	for name, value := range written {
		if !strings.HasSuffix(name, ".compression") {
			continue
		}
		switch value {
		case "Default", "NoCompression", "Snappy":
		default:
			return fmt.Errorf("%s is compressed with %s, which Pebble %s does not read in getio: take --engine pebblev2 if its format (%d) is 13 or newer, or write a copy with Snappy",
				d.Path, value, e.Version(), d.Format)
		}
	}
	return nil
}
