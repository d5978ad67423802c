package engines_test

import (
	"context"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/internal/enginetest"
)

// configure checks that options read back as they are shown and that configurations that
// make no sense are refused.
func (s suite) configure(t *testing.T) {
	for _, preset := range s.Engine.Presets() {
		cfg, err := s.Engine.Configure(preset, nil)
		require.NoError(t, err)
		shown := cfg.Effective()
		if cfg.Preset() != preset || len(shown) == 0 {
			t.Errorf("preset %s came out as %s with %d options", preset, cfg.Preset(), len(shown))
		}
		var overrides []string
		for name, value := range shown {
			overrides = append(overrides, name+"="+value)
		}
		again, err := s.Engine.Configure(preset, overrides)
		require.NoError(t, err)
		assert.Equal(t, shown, again.Effective(), "preset %s", preset)
		for _, o := range cfg.ReadOptions() {
			if _, ok := shown[o]; !ok {
				t.Errorf("%s affects reading and is not an option", o)
			}
		}
	}
	_, err := s.Engine.Configure("no such preset", nil)
	assert.Error(t, err, "an unknown preset was accepted")
	for _, override := range []string{"no_such_option=1", "no value", "="} {
		_, err := s.Engine.Configure("", []string{override})
		enginetest.RequireError(t, "option "+override, err, "option")
	}
	for override, want := range s.Refused {
		_, err := s.Engine.Configure("", []string{override})
		enginetest.RequireError(t, override, err, want)
	}
	s.overrideCopies(t)
	s.foreignConfig(t)
}

// overrideCopies checks that With leaves the configuration that it is called on alone.
func (s suite) overrideCopies(t *testing.T) {
	c, err := s.Engine.Configure("", nil)
	require.NoError(t, err)
	before := maps.Clone(c.Effective())
	d, err := c.With("block_size=8KiB")
	require.NoError(t, err)
	if !maps.Equal(c.Effective(), before) || d.Effective()["block_size"] != "8KiB" || d.Preset() != c.Preset() {
		t.Errorf("%v, %v", c.Effective(), d.Effective())
	}
	_, err = c.With("block_size=1")
	assert.Error(t, err, "a block size of 1 was accepted")
}

// foreign is a configuration of another engine.
type foreign struct{ engine.Config }

func (foreign) Preset() string { return "other" }

func (s suite) foreignConfig(t *testing.T) {
	_, create := s.Engine.Create(t.TempDir(), foreign{})
	enginetest.RequireError(t, "create with another engine's configuration", create, "other")
	_, open := s.Engine.OpenStore(context.Background(), t.TempDir(), foreign{})
	enginetest.RequireError(t, "open with another engine's configuration", open, "other")
}
