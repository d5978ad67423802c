package pebblev2

import (
	"testing"

	"getio/engine/pebble/pebbledb"
	"getio/tree/blockformat"
	"getio/tree/lsm"
)

func TestTableForm(t *testing.T) {
	for _, c := range []struct {
		preset  string
		options []string
		bloomL6 int
	}{
		{"bench_kvdb", nil, 10},
		{"pebble", nil, 0},
		{"geth", nil, 10},
		{"bench_kvdb", []string{"format=14"}, 10},
	} {
		cfg, err := Engine.Configure(c.preset, c.options)
		if err != nil {
			t.Fatal(err)
		}
		f, err := pebbleEngine{}.TableOptions(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if f.Format != "Pebblev2" || f.BloomBits[6] != c.bloomL6 || f.BlockSize != 4096 || f.IndexBlockSize != 4096 || f.RestartInterval != 16 ||
			f.Snappy != blockformat.SnappyPercent12 || f.FlushAbove != 3687 || f.IndexFlushAbove != 3687 || !f.FlushAtThreshold {
			t.Errorf("%s %v: %+v", c.preset, c.options, f)
		}
	}
}

func TestTableFormOfOptions(t *testing.T) {
	cfg, err := Engine.Configure("", []string{
		"compression=none", "block_size=1001", "index_block_size=64KiB", "block_restart_interval=3", "bloom_bits=0", "bloom_bits.L2=7",
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := pebbleEngine{}.TableOptions(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if f.Snappy != blockformat.SnappyNever || f.BlockSize != 1001 || f.FlushAbove != 901 || f.IndexBlockSize != 64<<10 ||
		f.IndexFlushAbove != 58983 || f.RestartInterval != 3 || f.BloomBits != [lsm.NumLevels]int{2: 7} {
		t.Errorf("%+v", f)
	}
}

// TestTableFormAssumptions checks the library options that TableForm assumes.
func TestTableFormAssumptions(t *testing.T) {
	for _, preset := range library.Presets {
		c, err := library.Configure(preset, nil)
		if err != nil {
			t.Fatal(err)
		}
		for level := range lsm.NumLevels {
			o := tableOptions(c, level)
			if o.BlockSizeThreshold != pebbledb.BlockSizeThreshold || len(o.AllocatorSizeClasses) > 0 {
				t.Errorf("%s: L%d: a block is full at %d%%, or by %v", preset, level, o.BlockSizeThreshold, o.AllocatorSizeClasses)
			}
			if len(o.BlockPropertyCollectors) > 0 {
				t.Errorf("%s: L%d: %+v", preset, level, o)
			}
		}
		o := writeOptions(c, pebbledb.NewLogger())
		o.Cache.Unref()
		if o.EnsureDefaults(); o.Experimental.EnableValueBlocks != nil {
			t.Errorf("%s: value blocks", preset)
		}
	}
}
