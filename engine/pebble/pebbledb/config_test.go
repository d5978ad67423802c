package pebbledb

import (
	"maps"
	"strings"
	"testing"

	"getio/tree/lsm"
)

// anyLibrary returns a library with the capabilities that both versions have.
func anyLibrary() *Library {
	return &Library{
		Name: "pebbleany", Presets: []string{"bench_kvdb", "geth", "geth-v1", "pebble"},
		Compressions: []string{"snappy", "none"}, MinFormat: 1, MaxFormat: 19,
	}
}

func configure(t testing.TB, preset string, overrides ...string) *Config {
	t.Helper()
	c, err := anyLibrary().Configure(preset, overrides)
	check(t, err)
	return c
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPresetsAreCompleteAndValid(t *testing.T) {
	for name := range presets {
		c := configure(t, name)
		if c.Preset() != name {
			t.Errorf("preset %s is named %s", name, c.Preset())
		}
		for _, o := range options {
			for level := range lsm.NumLevels {
				if v := o.Get(c, level); v == "" || v == "0" && o.Name != "bloom_bits" {
					t.Errorf("preset %s: option %s is %q on L%d", name, o.Name, v, level)
				}
				// Every value must be accepted as an override.
				if err := o.Set(c, level, o.Get(c, level)); err != nil {
					t.Errorf("preset %s: option %s: its own value: %v", name, o.Name, err)
				}
			}
		}
		if c.L0Concurrency == 0 || c.DebtConcurrency == 0 {
			t.Errorf("preset %s is incomplete: %+v", name, c)
		}
	}
}

func TestFirstPresetIsDefault(t *testing.T) {
	if c := configure(t, ""); c.Preset() != "bench_kvdb" {
		t.Errorf("the default is %s", c.Preset())
	}
}

func TestPresetBenchKVDB(t *testing.T) {
	c := configure(t, "bench_kvdb")
	if c.BloomBits != [7]int{10, 10, 10, 10, 10, 10, 10} {
		t.Errorf("bloom bits %v", c.BloomBits)
	}
	if c.TargetFileSize != [7]int64{2 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20} {
		t.Errorf("target file sizes %v", c.TargetFileSize)
	}
	if c.Format != 1 || c.BlockSize != 4096 || c.Compression != "snappy" || c.ReadSampling {
		t.Errorf("%+v", c)
	}
}

func TestPresetsGeth(t *testing.T) {
	for preset, want := range map[string]struct {
		bloomBits [7]int
		format    int
	}{
		// v2 uses the filter policy of L5 for L6, which has none of its own.
		"geth":    {[7]int{10, 10, 10, 10, 10, 10, 10}, 13},
		"geth-v1": {[7]int{10, 10, 10, 10, 10, 10, 0}, 1},
	} {
		c := configure(t, preset)
		if c.BloomBits != want.bloomBits {
			t.Errorf("%s: bloom bits %v", preset, c.BloomBits)
		}
		if c.TargetFileSize != [7]int64{16 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20} {
			t.Errorf("%s: target file sizes %v", preset, c.TargetFileSize)
		}
		if c.L0CompactionThreshold != 2 || c.Format != want.format {
			t.Errorf("%s: L0 compaction threshold %d, format %d", preset, c.L0CompactionThreshold, c.Format)
		}
		// Four memtables fill half of the cache; up to eight may exist.
		if c.MemTableSize != c.LoadCacheBytes/2/4 || c.MemTableStopWrites != 8 {
			t.Errorf("%s: memtables of %d, writes stop at %d", preset, c.MemTableSize, c.MemTableStopWrites)
		}
		if c.ReadSampling || c.L0Concurrency != 1 || c.DebtConcurrency != 1<<28 {
			t.Errorf("%s: %+v", preset, c)
		}
	}
}

func TestPresetFormatIsRaisedToMinimum(t *testing.T) {
	l := anyLibrary()
	l.MinFormat = 13
	c, err := l.Configure("bench_kvdb", nil)
	check(t, err)
	if c.Format != 13 {
		t.Errorf("format %d", c.Format)
	}
	if _, err := l.Configure("bench_kvdb", []string{"format=12"}); err == nil {
		t.Error("a format that the library does not write was accepted")
	}
}

func TestOverrideOfOneLevel(t *testing.T) {
	c := configure(t, "bench_kvdb", "bloom_bits.L6=0", "bloom_bits.L2=7", "target_file_size.L0=1MiB")
	if c.BloomBits != [7]int{10, 10, 7, 10, 10, 10, 0} {
		t.Errorf("bloom bits %v", c.BloomBits)
	}
	if c.TargetFileSize[0] != 1<<20 || c.TargetFileSize[1] != 4<<20 {
		t.Errorf("target file sizes %v", c.TargetFileSize)
	}
}

func TestOverrideOfAllLevels(t *testing.T) {
	c := configure(t, "bench_kvdb", "bloom_bits=5", "target_file_size=3MB")
	if c.BloomBits != [7]int{5, 5, 5, 5, 5, 5, 5} || c.TargetFileSize != [7]int64{3e6, 3e6, 3e6, 3e6, 3e6, 3e6, 3e6} {
		t.Errorf("%v, %v", c.BloomBits, c.TargetFileSize)
	}
}

func TestLaterOverridesWin(t *testing.T) {
	if c := configure(t, "pebble", "bloom_bits.L6=3", "bloom_bits=5", "bloom_bits.L6=9"); c.BloomBits != [7]int{5, 5, 5, 5, 5, 5, 9} {
		t.Errorf("bloom bits %v", c.BloomBits)
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
	if err == nil || !strings.Contains(err.Error(), "bench_kvdb, geth, geth-v1, pebble") {
		t.Errorf("error %v", err)
	}
	l := anyLibrary()
	l.Presets = l.Presets[:1]
	if _, err := l.Configure("pebble", nil); err == nil {
		t.Error("a preset of another library was accepted")
	}
}

func TestWithDoesNotChangeOriginal(t *testing.T) {
	c := configure(t, "pebble")
	before := c.Effective()
	d, err := c.With("block_size=8KiB")
	check(t, err)
	if !maps.Equal(c.Effective(), before) || d.Effective()["block_size"] != "8KiB" || d.Preset() != "pebble" {
		t.Errorf("%v became %v", before, d.Effective())
	}
	if _, err := c.With("block_size=0"); err == nil {
		t.Error("a block size of 0 was accepted")
	}
}

func TestEffectiveMergesEqualLevels(t *testing.T) {
	e := configure(t, "bench_kvdb").Effective()
	if e["bloom_bits"] != "10" || e["bloom_bits.L6"] != "" {
		t.Errorf("%v", e)
	}
	e = configure(t, "geth-v1").Effective()
	if _, once := e["bloom_bits"]; once || e["bloom_bits.L5"] != "10" || e["bloom_bits.L6"] != "0" {
		t.Errorf("%v", e)
	}
	if e["target_file_size.L0"] != "16MiB" || e["target_file_size.L6"] != "128MiB" {
		t.Errorf("%v", e)
	}
}

// fromEffective configures the options that Effective listed, as a manifest holds them.
func fromEffective(preset string, effective map[string]string) (*Config, error) {
	var overrides []string
	for name, value := range effective {
		overrides = append(overrides, name+"="+value)
	}
	return anyLibrary().Configure(preset, overrides)
}

func TestEffectiveRoundTrips(t *testing.T) {
	for name := range presets {
		c := configure(t, name, "block_size=12345", "bloom_bits.L3=4")
		again, err := fromEffective(name, c.Effective())
		check(t, err)
		if !maps.Equal(again.Effective(), c.Effective()) {
			t.Errorf("%s: %v came back as %v", name, c.Effective(), again.Effective())
		}
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
		c, err := anyLibrary().Configure("geth", []string{a, b})
		if err != nil {
			return
		}
		again, err := fromEffective("geth", c.Effective())
		if err != nil {
			t.Fatalf("%q, %q: %v was rejected: %v", a, b, c.Effective(), err)
		}
		if !maps.Equal(again.Effective(), c.Effective()) || again.BloomBits != c.BloomBits || again.TargetFileSize != c.TargetFileSize {
			t.Errorf("%q, %q: %v came back as %v", a, b, c.Effective(), again.Effective())
		}
		if c.CacheFloor() <= 0 || c.ReservedBytes() <= 0 || c.ReadMemTableSize() <= 0 {
			t.Errorf("%q, %q: floor %d, reserved %d, memtable %d", a, b, c.CacheFloor(), c.ReservedBytes(), c.ReadMemTableSize())
		}
	})
}
