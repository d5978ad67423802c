package goleveldb

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

func configured(t *testing.T, preset string, overrides ...string) *config {
	t.Helper()
	cfg, err := Engine.Configure(preset, overrides)
	require.NoError(t, err)
	c, err := configs.Of(cfg)
	require.NoError(t, err)
	return c
}

func TestPresetLeveldbIsTheLibrarysDefaults(t *testing.T) {
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

// Settle waits until levels are below the sizes at which the library compacts them.
func TestSettleUsesTheLibrarysLevelSizes(t *testing.T) {
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
	if Engine.Presets()[0] != "geth-leveldb" || c.bloomBits != 10 || c.seekCompactions || c.memTableSize != 512<<20 || c.loadCacheBytes != 1<<30 || c.blockSize != 4096 {
		t.Errorf("%+v", c)
	}
}
