package pebbletest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/blockformat"
	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
)

// TableForm is the table format of a configuration.
type TableForm struct {
	Preset  string
	Options []string
	Format  string
	BloomL6 int // bits per key
}

// TableForms checks the table options of configurations. usual holds what all tables
// compressed with Snappy have.
func TableForms(t *testing.T, e engine.Builder, usual engine.TableOptions, forms []TableForm) {
	for _, c := range forms {
		f := tableOptions(t, e, c.Preset, c.Options...)
		if f.Format != c.Format || f.BloomBits[6] != c.BloomL6 || f.BlockSize != 4096 || f.IndexBlockSize != 4096 || f.RestartInterval != 16 ||
			f.Snappy != usual.Snappy || f.FlushAbove != 3687 || f.IndexFlushAbove != 3687 || f.FlushAtThreshold != usual.FlushAtThreshold {
			t.Errorf("%s %v: %+v", c.Preset, c.Options, f)
		}
	}
	f := tableOptions(t, e, "",
		"compression=none", "block_size=1001", "index_block_size=64KiB", "block_restart_interval=3", "bloom_bits=0", "bloom_bits.L2=7")
	if f.Snappy != blockformat.SnappyNever || f.BlockSize != 1001 || f.FlushAbove != 901 || f.IndexBlockSize != 64<<10 ||
		f.IndexFlushAbove != 58983 || f.RestartInterval != 3 || f.BloomBits != [lsm.NumLevels]int{2: 7} {
		t.Errorf("%+v", f)
	}
}

func tableOptions(t *testing.T, e engine.Builder, preset string, overrides ...string) engine.TableOptions {
	t.Helper()
	cfg, err := e.Configure(preset, overrides)
	require.NoError(t, err)
	f, err := e.TableOptions(cfg)
	require.NoError(t, err)
	return f
}

// EachLevel calls assume with every preset and level. It checks the library options that
// pebbledb.Library.TableOptions assumes, and returns false if one differs.
func EachLevel(t *testing.T, l *pebbledb.Library, assume func(c *pebbledb.Config, level int) bool) {
	for _, preset := range l.Presets() {
		for level := range lsm.NumLevels {
			assert.True(t, assume(Configure(t, l, preset), level), "%s, L%d: the options of tables are not those that getio assumes", preset, level)
		}
	}
}
