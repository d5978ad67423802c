package goleveldb

import (
	"maps"
	"strings"
	"testing"

	"github.com/syndtr/goleveldb/leveldb/opt"

	"getio/engine"
)

func configured(t *testing.T, preset string, overrides ...string) *config {
	t.Helper()
	c, err := Engine.Configure(preset, overrides)
	check(t, err)
	return c.(*config)
}

// The library's own answers, where nothing is set, are those under the preset.
func TestLeveldbPresetIsTheLibrarysDefaults(t *testing.T) {
	o, none := writeOptions(configured(t, "leveldb")), (*opt.Options)(nil)
	for name, c := range map[string][2]any{
		"block size":       {o.GetBlockSize(), none.GetBlockSize()},
		"restart interval": {o.GetBlockRestartInterval(), none.GetBlockRestartInterval()},
		"block cache":      {o.GetBlockCacheCapacity(), none.GetBlockCacheCapacity()},
		"compression":      {o.GetCompression(), none.GetCompression()},
		"filter":           {o.GetFilter(), none.GetFilter()},
		"write buffer":     {o.GetWriteBuffer(), none.GetWriteBuffer()},
		"L0 trigger":       {o.GetCompactionL0Trigger(), none.GetCompactionL0Trigger()},
		"slowdown trigger": {o.GetWriteL0SlowdownTrigger(), none.GetWriteL0SlowdownTrigger()},
		"pause trigger":    {o.GetWriteL0PauseTrigger(), none.GetWriteL0PauseTrigger()},
		"open files":       {o.GetOpenFilesCacheCapacity(), none.GetOpenFilesCacheCapacity()},
		"seek compactions": {o.GetDisableSeeksCompaction(), none.GetDisableSeeksCompaction()},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %v, the library has %v", name, c[0], c[1])
		}
	}
	for level := range 7 {
		if got, want := o.GetCompactionTableSize(level), none.GetCompactionTableSize(level); got != want {
			t.Errorf("tables of L%d: %d, the library has %d", level, got, want)
		}
		if got, want := o.GetCompactionTotalSize(level), none.GetCompactionTotalSize(level); level > 0 && got != want {
			t.Errorf("L%d: %d, the library has %d", level, got, want)
		}
	}
}

// What settling waits for is what the library compacts by.
func TestLevelsAreCompactedAtTheirSizes(t *testing.T) {
	for _, overrides := range [][]string{nil, {"l1_max_bytes=3MB", "level_multiplier=7"}} {
		c := configured(t, "", overrides...)
		o := writeOptions(c)
		for level := 1; level < 7; level++ {
			if got, want := c.maxBytes(level), o.GetCompactionTotalSize(level); got != want {
				t.Errorf("%v: L%d: %d, the library has %d", overrides, level, got, want)
			}
		}
	}
	if c := configured(t, "", "l1_max_bytes=1PiB", "level_multiplier=1024"); c.maxBytes(6) < c.maxBytes(2) {
		t.Errorf("L6 %d, L2 %d", c.maxBytes(6), c.maxBytes(2))
	}
}

func TestGethIsTheDefault(t *testing.T) {
	c := configured(t, "")
	if c.Preset() != "geth-leveldb" || c.bloomBits != 10 || c.seekCompactions || c.memTableSize != 512<<20 || c.loadCacheBytes != 1<<30 || c.blockSize != 4096 {
		t.Errorf("%+v", c)
	}
}

func TestConfigurationsThatCannotBeAreRefused(t *testing.T) {
	for override, says := range map[string]string{
		"compression=zstd":        "goleveldb knows snappy, none",
		"l0_pause_trigger=3":      "below l0_compaction_trigger",
		"index_block_size=4KiB":   "is not known: use one of block_size,",
		"bloom_bits.L0=10":        "only per-level options",
		"level_multiplier=1":      "out of range",
		"l0_compaction_trigger=0": "out of range",
	} {
		if _, err := Engine.Configure("", []string{override}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", override, err)
		}
	}
}

func TestOverridingMakesAConfigurationOfItsOwn(t *testing.T) {
	c := configured(t, "")
	before := maps.Clone(c.Effective())
	d, err := c.With("block_size=8KiB")
	check(t, err)
	if !maps.Equal(c.Effective(), before) || d.Effective()["block_size"] != "8KiB" || d.Preset() != c.Preset() {
		t.Errorf("%v, %v", c.Effective(), d.Effective())
	}
	if _, err := c.With("block_size=1"); err == nil {
		t.Error("a block size of 1 was accepted")
	}
}

// other is a configuration of another engine.
type other struct{ engine.Config }

func (other) Preset() string { return "other" }

func TestConfigurationsOfOtherEnginesAreRefused(t *testing.T) {
	if _, err := Engine.Create(t.TempDir(), other{}); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("error %v", err)
	}
}
