package option

import (
	"fmt"
	"slices"
	"strings"

	"getio/engine"
)

// Schema describes the configurations of one engine. Their options are the fields of C.
type Schema[C any] struct {
	Engine  string      // its name
	Presets []Preset[C] // the default one first
	Options List[C]
	// ReadOptions names the options that affect reading an existing database.
	ReadOptions []string
	// Verify returns an error for options that do not go together.
	Verify func(*C) error
}

// Preset is a complete configuration under a name.
type Preset[C any] struct {
	Name string
	New  func() *C
}

// PresetNames lists the presets, the default one first.
func (s *Schema[C]) PresetNames() []string {
	names := make([]string, len(s.Presets))
	for i, p := range s.Presets {
		names[i] = p.Name
	}
	return names
}

// Configure returns a preset, the default one for "", with options overridden, each as NAME=VALUE.
func (s *Schema[C]) Configure(preset string, overrides []string) (engine.Config, error) {
	names := s.PresetNames()
	if preset == "" {
		preset = names[0]
	}
	i := slices.Index(names, preset)
	if i < 0 {
		return nil, fmt.Errorf("preset %q is not known to %s: use one of %s", preset, s.Engine, strings.Join(names, ", "))
	}
	c := &config[C]{schema: s, preset: preset, options: *s.Presets[i].New()}
	for _, o := range overrides {
		if err := s.Options.Override(&c.options, o); err != nil {
			return nil, err
		}
	}
	if err := s.Verify(&c.options); err != nil {
		return nil, err
	}
	return c, nil
}

// Of returns the options of a configuration, which must be one of this engine.
func (s *Schema[C]) Of(cfg engine.Config) (*C, error) {
	if c, ok := cfg.(*config[C]); ok {
		return &c.options, nil
	}
	return nil, fmt.Errorf("a configuration of preset %q is not one for %s: configure %s", cfg.Preset(), s.Engine, s.Engine)
}

// config implements engine.Config.
type config[C any] struct {
	schema  *Schema[C]
	preset  string
	options C
}

func (c *config[C]) Preset() string               { return c.preset }
func (c *config[C]) Effective() map[string]string { return c.schema.Options.Effective(&c.options) }
func (c *config[C]) ReadOptions() []string        { return c.schema.ReadOptions }

func (c *config[C]) With(override string) (engine.Config, error) {
	d := *c
	if err := c.schema.Options.Override(&d.options, override); err != nil {
		return nil, err
	}
	if err := c.schema.Verify(&d.options); err != nil {
		return nil, err
	}
	return &d, nil
}
