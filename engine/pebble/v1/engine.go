// Code generated from v2/engine.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

type pebbleEngine struct{ *pebbledb.Library }

// Engine measures the Pebble version of this package.
var Engine engine.Engine = pebbleEngine{library}

func (e pebbleEngine) Recognise(dir string) (engine.Recognised, error) {
	d, err := e.directory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{Format: d.Format}, nil
}
