package pebblev2

import (
	"fmt"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

type pebbleEngine struct{}

// Engine measures the Pebble version of this package.
var Engine engine.Engine = pebbleEngine{}

func (pebbleEngine) Name() string      { return library.Name }
func (pebbleEngine) Version() string   { return engine.ModuleVersion(modulePath) }
func (pebbleEngine) Presets() []string { return library.Presets }

func (pebbleEngine) Configure(preset string, overrides []string) (engine.Config, error) {
	return library.Configure(preset, overrides)
}

func (e pebbleEngine) Recognise(dir string) (engine.Recognised, error) {
	d, err := e.directory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{Format: d.Format}, nil
}

// config returns cfg as a *pebbledb.Config, or an error if it is of another engine.
func config(cfg engine.Config) (*pebbledb.Config, error) {
	c, ok := cfg.(*pebbledb.Config)
	if !ok {
		return nil, fmt.Errorf("a configuration of preset %q is not for %s: configure it with this engine", cfg.Preset(), library.Name)
	}
	return c, nil
}
