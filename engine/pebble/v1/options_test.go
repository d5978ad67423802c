package pebblev1

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"

	"getio/engine/pebble/pebbledb"
	"getio/tree/lsm"
)

// aside lists the options in which a load intentionally differs from every preset. They
// affect neither the tables nor when compactions start.
var aside = []string{"Cache", "FS", "Logger", "EventListener", "MaxConcurrentCompactions", "Levels", "WALBytesPerSync"}

// differ lists the options, other than levels, in which a and b differ after defaults are
// set. It only compares whether functions are nil.
func differ(a, b *pebble.Options) []string {
	x, y := reflect.ValueOf(a.EnsureDefaults()).Elem(), reflect.ValueOf(b.EnsureDefaults()).Elem()
	return differingFields(x, y)
}

func differingFields(x, y reflect.Value) (names []string) {
	for i := range x.NumField() {
		f := x.Type().Field(i)
		a, b := x.Field(i), y.Field(i)
		switch {
		case !f.IsExported() || slices.Contains(aside, f.Name):
		case f.Type.Kind() == reflect.Struct:
			names = append(names, differingFields(a, b)...)
		case f.Type.Kind() == reflect.Func:
			if a.IsNil() != b.IsNil() {
				names = append(names, f.Name)
			}
		case !reflect.DeepEqual(a.Interface(), b.Interface()):
			names = append(names, f.Name)
		}
	}
	return names
}

func written(t *testing.T, preset string) *pebble.Options {
	t.Helper()
	c, err := library.Configure(preset, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := writeOptions(c, pebbledb.NewLogger())
	o.Cache.Unref()
	return o
}

func holdSame(t *testing.T, got, want *pebble.Options) {
	t.Helper()
	if names := differ(got, want); len(names) > 0 {
		t.Errorf("options that differ: %v", names)
	}
	for level := range lsm.NumLevels {
		if g, w := got.Level(level), want.Level(level); !reflect.DeepEqual(g, w) {
			t.Errorf("L%d: %+v, want %+v", level, g, w)
		}
	}
}

func TestPresetPebbleMatchesLibraryDefaults(t *testing.T) {
	holdSame(t, written(t, "pebble"), &pebble.Options{})
}

// gethOptions returns the options of go-ethereum 1.17.10 (ethdb/pebble/pebble_v1.go) with
// a cache of 2 GiB.
func gethOptions() *pebble.Options {
	filtered := func(targetFileSize int64) pebble.LevelOptions {
		return pebble.LevelOptions{TargetFileSize: targetFileSize, FilterPolicy: bloom.FilterPolicy(10)}
	}
	o := &pebble.Options{
		MaxOpenFiles:                5_000,
		MemTableSize:                2 << 30 / 2 / 4,
		MemTableStopWritesThreshold: 8,
		L0CompactionThreshold:       2,
		Levels: []pebble.LevelOptions{
			filtered(16 << 20), filtered(4 << 20), filtered(8 << 20), filtered(16 << 20), filtered(32 << 20), filtered(64 << 20),
			{TargetFileSize: 128 << 20},
		},
	}
	o.Experimental.ReadSamplingMultiplier = -1
	o.Experimental.L0CompactionConcurrency = 1
	o.Experimental.CompactionDebtConcurrency = 1 << 28
	return o
}

func TestPresetGethMatchesGoEthereum(t *testing.T) {
	o := written(t, "geth-v1")
	o.MaxOpenFiles = 5_000 // otherwise depends on the machine
	holdSame(t, o, gethOptions())
}

func TestDifferFindsDifferences(t *testing.T) {
	for name, change := range map[string]func(*pebble.Options){
		"MemTableSize":            func(o *pebble.Options) { o.MemTableSize++ },
		"L0CompactionConcurrency": func(o *pebble.Options) { o.Experimental.L0CompactionConcurrency++ },
		"DisableWAL":              func(o *pebble.Options) { o.DisableWAL = true },
	} {
		o := written(t, "pebble")
		change(o)
		if got := differ(o, &pebble.Options{}); !slices.Equal(got, []string{name}) {
			t.Errorf("changed %s, but %v differ", name, got)
		}
	}
}

func TestCompressionsAreKnown(t *testing.T) {
	for _, name := range library.Compressions {
		if _, ok := compressions[name]; !ok {
			t.Errorf("compression %s is listed but unknown", name)
		}
	}
	if len(compressions) != len(library.Compressions) {
		t.Errorf("%d compressions are known, %d are listed", len(compressions), len(library.Compressions))
	}
}

func TestOverridesReachTheLibrary(t *testing.T) {
	c, err := library.Configure("pebble", []string{
		"block_size=8KiB", "index_block_size=16KiB", "block_restart_interval=8", "bloom_bits.L3=7", "target_file_size.L2=9MiB",
		"compression=none", "format=13", "max_open_files=77", "memtable_size=1MiB", "memtable_stop_writes=5",
		"l0_compaction_threshold=3", "l0_stop_writes_threshold=20", "lbase_max_bytes=10MiB", "load_cache=9MiB",
	})
	if err != nil {
		t.Fatal(err)
	}
	o := writeOptions(c, pebbledb.NewLogger())
	defer o.Cache.Unref()
	for i, l := range o.Levels {
		if l.BlockSize != 8<<10 || l.IndexBlockSize != 16<<10 || l.BlockRestartInterval != 8 || l.Compression != pebble.NoCompression {
			t.Errorf("L%d: %+v", i, l)
		}
		if (l.FilterPolicy != nil) != (i == 3) || (l.TargetFileSize == 9<<20) != (i == 2) {
			t.Errorf("L%d: %+v", i, l)
		}
	}
	if o.Levels[3].FilterPolicy != bloom.FilterPolicy(7) {
		t.Errorf("filter policy %v", o.Levels[3].FilterPolicy)
	}
	if o.FormatMajorVersion != 13 || o.MaxOpenFiles != 77 || o.MemTableSize != 1<<20 || o.MemTableStopWritesThreshold != 5 ||
		o.L0CompactionThreshold != 3 || o.L0StopWritesThreshold != 20 || o.LBaseMaxBytes != 10<<20 || o.Cache.MaxSize() != 9<<20 {
		t.Errorf("%+v", o)
	}
}
