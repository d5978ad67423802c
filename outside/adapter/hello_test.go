package adapter

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	good := Configuration{Name: "a", MinKey: 1, MaxKey: 32, MaxValue: 100}
	for says, change := range map[string]func(*Hello, *Configuration){
		"names no engine":                   func(h *Hello, _ *Configuration) { h.Engine = "" },
		"no version of it":                  func(h *Hello, _ *Configuration) { h.EngineVersion = "" },
		"offers no configuration":           func(h *Hello, _ *Configuration) { h.Configurations = nil },
		"name \"\" is empty or used twice":  func(_ *Hello, c *Configuration) { c.Name = "" },
		"name \"a\" is empty or used twice": func(h *Hello, _ *Configuration) { h.Configurations = append(h.Configurations, good) },
		"keys of 33 to 32 bytes":            func(_ *Hello, c *Configuration) { c.MinKey = 33 },
		"keys of 0 to 0 bytes":              func(_ *Hello, c *Configuration) { c.MinKey, c.MaxKey = 0, 0 },
		"values of 101 to 100 bytes":        func(_ *Hello, c *Configuration) { c.MinValue = 101 },
		"contradicts its list of sizes":     func(_ *Hello, c *Configuration) { c.ValueSizes = []uint32{32} },
		"more than fit in a frame":          func(_ *Hello, c *Configuration) { c.MaxValue = MaxFrame },
		"needs -1 bytes of memory":          func(_ *Hello, c *Configuration) { c.MemoryPerKey = -1 },
	} {
		h := Hello{Engine: "e", EngineVersion: "1", Configurations: []Configuration{good}}
		check(t, h.Validate())
		change(&h, &h.Configurations[0])
		if err := h.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

func TestTakes(t *testing.T) {
	sizes := Configuration{MinKey: 20, MaxKey: 32, ValueSizes: []uint32{32, 72}, MinValue: 32, MaxValue: 72}
	bounds := Configuration{MinKey: 1, MaxKey: 4, MinValue: 2, MaxValue: 5}
	for _, c := range []struct {
		got, want bool
	}{
		{sizes.TakesKey(19), false}, {sizes.TakesKey(20), true}, {sizes.TakesKey(32), true}, {sizes.TakesKey(33), false},
		{sizes.TakesValue(32), true}, {sizes.TakesValue(33), false}, {sizes.TakesValue(72), true}, {sizes.TakesValue(0), false},
		{bounds.TakesValue(1), false}, {bounds.TakesValue(2), true}, {bounds.TakesValue(5), true}, {bounds.TakesValue(6), false},
	} {
		if c.got != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestConfigurationsByName(t *testing.T) {
	h := Hello{Engine: "e", Configurations: []Configuration{{Name: "first"}, {Name: "second"}}}
	if c, err := h.Configuration(""); err != nil || c.Name != "first" {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := h.Configuration("second"); err != nil || c.Name != "second" {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := h.Configuration("third"); err == nil || err.Error() != `e has no configuration "third": use one of first, second` {
		t.Error(err)
	}
}
