package pebbledb

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
)

// anyLibrary returns a library with the capabilities that both versions have.
func anyLibrary() *Library {
	return &Library{
		EngineName: "pebbleany", PresetNames: []string{"bench_kvdb", "geth", "geth-v1", "pebble"},
		Compressions: []string{"snappy", "none"}, MinFormat: 1, MaxFormat: 19,
	}
}

// configure returns the options of a configuration, and the configuration itself.
func configure(t testing.TB, preset string, overrides ...string) (*Config, engine.Config) {
	t.Helper()
	cfg, err := anyLibrary().Configure(preset, overrides)
	require.NoError(t, err)
	c, err := anyLibrary().Config(cfg)
	require.NoError(t, err)
	return c, cfg
}

func TestPresetsAreCompleteAndValid(t *testing.T) {
	for name := range presets {
		c, cfg := configure(t, name, "block_size=12345", "bloom_bits.L3=4")
		assert.Equal(t, name, cfg.Preset())
		for _, o := range options {
			for level := range lsm.NumLevels {
				if v := o.Get(c, level); v == "" || v == "0" && o.Name != "bloom_bits" {
					t.Errorf("preset %s: option %s is %q on L%d", name, o.Name, v, level)
				}
			}
		}
		if c.L0Concurrency == 0 || c.DebtConcurrency == 0 {
			t.Errorf("preset %s is incomplete: %+v", name, c)
		}
		requireRoundTrip(t, cfg)
	}
}

// requireRoundTrip configures the options that Effective lists, as a manifest holds them.
func requireRoundTrip(t *testing.T, cfg engine.Config) {
	t.Helper()
	var overrides []string
	for name, value := range cfg.Effective() {
		overrides = append(overrides, name+"="+value)
	}
	again, err := anyLibrary().Configure(cfg.Preset(), overrides)
	require.NoError(t, err, "%v was rejected", overrides)
	assert.Equal(t, cfg.Effective(), again.Effective())
	before, _ := anyLibrary().Config(cfg)
	if after, _ := anyLibrary().Config(again); *after != *before {
		t.Errorf("%+v came back as %+v", before, after)
	}
}

func TestPresets(t *testing.T) {
	for name, want := range map[string]Config{
		"bench_kvdb": {
			BloomBits: [7]int{10, 10, 10, 10, 10, 10, 10}, Format: 1, L0CompactionThreshold: 4,
			TargetFileSize: [7]int64{2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20}},
		// v2 uses the filter policy of L5 for L6, which has none of its own.
		"geth":    {BloomBits: [7]int{10, 10, 10, 10, 10, 10, 10}, Format: 13, L0CompactionThreshold: 2},
		"geth-v1": {BloomBits: [7]int{10, 10, 10, 10, 10, 10, 0}, Format: 1, L0CompactionThreshold: 2},
	} {
		c, _ := configure(t, name)
		if strings.HasPrefix(name, "geth") {
			want.TargetFileSize = [7]int64{16 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20}
			// Four memtables fill half of the cache; up to eight may exist.
			if c.MemTableSize != c.LoadCacheBytes/2/4 || c.MemTableStopWrites != 8 || c.L0Concurrency != 1 || c.DebtConcurrency != 1<<28 {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if c.BloomBits != want.BloomBits || c.TargetFileSize != want.TargetFileSize || c.Format != want.Format ||
			c.L0CompactionThreshold != want.L0CompactionThreshold || c.BlockSize != 4096 || c.Compression != "snappy" || c.ReadSampling {
			t.Errorf("%s: %+v, want %+v", name, c, want)
		}
	}
	if _, cfg := configure(t, ""); cfg.Preset() != "bench_kvdb" {
		t.Errorf("the default is %s", cfg.Preset())
	}
}

func TestPresetFormatIsRaisedToMinimum(t *testing.T) {
	l := anyLibrary()
	l.MinFormat = 13
	cfg, err := l.Configure("bench_kvdb", nil)
	require.NoError(t, err)
	assert.Equal(t, "13", cfg.Effective()["format"])
	_, err = l.Configure("bench_kvdb", []string{"format=12"})
	assert.Error(t, err, "a format that the library does not write was accepted")
}

func TestOverrides(t *testing.T) {
	for overrides, change := range map[string]func(c *Config){
		"bloom_bits.L6=0 bloom_bits.L2=7 target_file_size.L0=1MiB": func(c *Config) {
			c.BloomBits, c.TargetFileSize[0] = [7]int{10, 10, 7, 10, 10, 10, 0}, 1<<20
		},
		"bloom_bits=5 target_file_size=3MB": func(c *Config) {
			c.BloomBits, c.TargetFileSize = [7]int{5, 5, 5, 5, 5, 5, 5}, [7]int64{3e6, 3e6, 3e6, 3e6, 3e6, 3e6, 3e6}
		},
		"bloom_bits.L6=3 bloom_bits=5 bloom_bits.L6=9": func(c *Config) { c.BloomBits = [7]int{5, 5, 5, 5, 5, 5, 9} },
	} {
		want, _ := configure(t, "bench_kvdb")
		change(want)
		if got, _ := configure(t, "bench_kvdb", strings.Fields(overrides)...); *got != *want {
			t.Errorf("%s: %+v, want %+v", overrides, got, want)
		}
	}
}

func TestInvalidOverrides(t *testing.T) {
	for _, override := range []string{
		"", "=", "block_size", "block_size=", "no_such_option=1", "Block_size=4KiB", " block_size=4KiB",
		"block_size=0", "block_size=-1", "block_size=63", "block_size=1GiB", "block_size=big", "block_size=4KiB ; rm",
		"block_size.L0=4KiB", "bloom_bits.L7=1", "bloom_bits.L-1=1", "bloom_bits.6=1", "bloom_bits.=1", "bloom_bits.L=1",
		"bloom_bits.L0-L5=3", "bloom_bits.L0,L1=3", "bloom_bits.L06=3", "bloom_bits.L+6=3", "bloom_bits.L6x=3", "bloom_bits.L 6=3", "bloom_bits.l6=3",
		"bloom_bits=1.5", "bloom_bits=-1", "bloom_bits=65", "bloom_bits=1e1",
		"compression=", "compression=lz4", "format=0", "format=20", "max_open_files=0", "max_open_files=73",
		"memtable_size=4GiB", "memtable_size=1KiB", "memtable_stop_writes=1", "lbase_max_bytes=99999999TiB",
		"l0_compaction_threshold=13",
	} {
		if c, err := anyLibrary().Configure("bench_kvdb", []string{override}); err == nil {
			t.Errorf("%q was accepted: %v", override, c.Effective())
		} else if strings.Contains(err.Error(), "\n") || len(err.Error()) < 20 {
			t.Errorf("%q: %v", override, err)
		}
	}
}

func TestUnknownPresetErrorListsKnown(t *testing.T) {
	_, err := anyLibrary().Configure("leveldb", nil)
	assert.ErrorContains(t, err, "bench_kvdb, geth, geth-v1, pebble")
	l := anyLibrary()
	l.PresetNames = l.PresetNames[:1]
	_, err = l.Configure("pebble", nil)
	assert.Error(t, err, "a preset of another library was accepted")
}

func TestEffectiveMergesEqualLevels(t *testing.T) {
	_, cfg := configure(t, "bench_kvdb")
	if e := cfg.Effective(); e["bloom_bits"] != "10" || e["bloom_bits.L6"] != "" {
		t.Errorf("%v", e)
	}
	_, cfg = configure(t, "geth-v1")
	e := cfg.Effective()
	if _, once := e["bloom_bits"]; once || e["bloom_bits.L5"] != "10" || e["bloom_bits.L6"] != "0" ||
		e["target_file_size.L0"] != "16MiB" || e["target_file_size.L6"] != "128MiB" {
		t.Errorf("%v", e)
	}
}

// FuzzOverride checks that accepted overrides survive a round trip through Effective and
// give a valid configuration.
func FuzzOverride(f *testing.F) {
	for _, s := range []string{
		"block_size=4KiB", "bloom_bits.L6=0", "target_file_size=2.5MB", "format=13", "lbase_max_bytes=1PiB",
		"compression=none", "memtable_size=4294967294", "bloom_bits.L0-L5=1", "block_size=1,024", "load_cache=1e9",
	} {
		f.Add(s, "bloom_bits.L1=3")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		cfg, err := anyLibrary().Configure("geth", []string{a, b})
		if err != nil {
			return
		}
		requireRoundTrip(t, cfg)
		c, err := anyLibrary().Config(cfg)
		require.NoError(t, err)
		if c.CacheFloor() <= 0 || c.ReservedBytes() <= 0 || c.ReadMemTableSize() <= 0 {
			t.Errorf("%q, %q: floor %d, reserved %d, memtable %d", a, b, c.CacheFloor(), c.ReservedBytes(), c.ReadMemTableSize())
		}
	})
}
