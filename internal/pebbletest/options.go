package pebbletest

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/pebble/pebbledb"
)

// Options describes how an engine sets the options O of its library.
type Options[O any] struct {
	Library *pebbledb.Library
	// Write returns the options of a load.
	Write func(*pebbledb.Config) *O
	// Ensure sets the library's defaults.
	Ensure func(*O)
	// Levels describes the options of each level.
	Levels func(*O) [lsm.NumLevels]Level
	// NoFilter and Filter7 are the filter policies of 0 and 7 bits per key.
	NoFilter, Filter7 any
	// Aside lists the options in which a load intentionally differs from every preset. They
	// affect neither the tables nor when compactions start.
	Aside []string
	// Geth returns the options of go-ethereum 1.17.10 with a cache of 2 GiB, which GethPreset sets.
	Geth       func() *O
	GethPreset string
}

// Level describes the options of one level.
type Level struct {
	BlockSize, IndexBlockSize, RestartInterval int
	TargetFileSize                             int64
	Compression                                string
	Filter                                     any
	Others                                     any // as the library has them
}

// Run runs the tests.
func (s Options[O]) Run(t *testing.T) {
	t.Run("preset pebble has the library's defaults", func(t *testing.T) {
		s.requireSame(t, s.written(t, "pebble"), new(O))
	})
	t.Run("preset geth has go-ethereum's options", func(t *testing.T) {
		o := s.written(t, s.GethPreset)
		field(o, "MaxOpenFiles").SetInt(5_000) // otherwise depends on the machine
		s.requireSame(t, o, s.Geth())
	})
	t.Run("differences are found", s.findsDifferences)
	t.Run("overrides reach the library", s.overrides)
}

func (s Options[O]) written(t *testing.T, preset string, overrides ...string) *O {
	t.Helper()
	return s.Write(Configure(t, s.Library, preset, overrides...))
}

// Configure returns a configuration of the library.
func Configure(t testing.TB, l *pebbledb.Library, preset string, overrides ...string) *pebbledb.Config {
	t.Helper()
	cfg, err := l.Configure(preset, overrides)
	require.NoError(t, err)
	c, err := l.Config(cfg)
	require.NoError(t, err)
	return c
}

func (s Options[O]) requireSame(t *testing.T, got, want *O) {
	t.Helper()
	assert.Empty(t, s.differ(got, want))
	wanted := s.Levels(want)
	for i, level := range s.Levels(got) {
		assert.Equal(t, wanted[i], level, "L%d", i)
	}
}

// differ lists the options, other than levels, in which a and b differ after defaults are
// set. It only compares whether functions are nil.
func (s Options[O]) differ(a, b *O) []string {
	s.Ensure(a)
	s.Ensure(b)
	return s.differingFields(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func (s Options[O]) differingFields(x, y reflect.Value) (names []string) {
	for i := range x.NumField() {
		f := x.Type().Field(i)
		a, b := x.Field(i), y.Field(i)
		switch {
		case !f.IsExported() || slices.Contains(s.Aside, f.Name):
		case f.Type.Kind() == reflect.Struct:
			names = append(names, s.differingFields(a, b)...)
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

func (s Options[O]) findsDifferences(t *testing.T) {
	for name, value := range map[string]any{"MemTableSize": uint64(1 << 20), "L0CompactionConcurrency": 99, "DisableWAL": true} {
		o := s.written(t, "pebble")
		field(o, name).Set(reflect.ValueOf(value))
		assert.Equal(t, []string{name}, s.differ(o, new(O)), "fields that differ after a change of %s", name)
	}
}

// field returns the named field of options, which may be an experimental one.
func field(options any, name string) reflect.Value {
	o := reflect.ValueOf(options).Elem()
	if f := o.FieldByName(name); f.IsValid() {
		return f
	}
	return o.FieldByName("Experimental").FieldByName(name)
}

func (s Options[O]) overrides(t *testing.T) {
	o := s.written(t, "pebble",
		"block_size=8KiB", "index_block_size=16KiB", "block_restart_interval=8", "bloom_bits.L3=7", "target_file_size.L2=9MiB",
		"compression=none", "format=13", "max_open_files=77", "memtable_size=1MiB", "memtable_stop_writes=5",
		"l0_compaction_threshold=3", "l0_stop_writes_threshold=20", "lbase_max_bytes=10MiB", "load_cache=9MiB",
	)
	for i, got := range s.Levels(o) {
		want := Level{
			BlockSize: 8 << 10, IndexBlockSize: 16 << 10, RestartInterval: 8, TargetFileSize: 2 << 20 << i,
			Compression: "NoCompression", Filter: s.NoFilter, Others: got.Others,
		}
		switch i {
		case 2:
			want.TargetFileSize = 9 << 20
		case 3:
			want.Filter = s.Filter7
		}
		assert.Equal(t, want, got, "L%d", i)
	}
	for name, want := range map[string]int{
		"FormatMajorVersion": 13, "MaxOpenFiles": 77, "MemTableSize": 1 << 20, "MemTableStopWritesThreshold": 5,
		"L0CompactionThreshold": 3, "L0StopWritesThreshold": 20, "LBaseMaxBytes": 10 << 20,
	} {
		f := field(o, name)
		assert.Equal(t, int64(want), f.Convert(reflect.TypeFor[int]()).Int(), name)
	}
	assert.EqualValues(t, 9<<20, field(o, "Cache").Interface().(interface{ MaxSize() int64 }).MaxSize())
}

// SameCompressions checks that a library lists the compressions that are known.
func SameCompressions[C any](t *testing.T, l *pebbledb.Library, known map[string]C) {
	listed := slices.Sorted(slices.Values(l.Compressions))
	assert.Equal(t, listed, slices.Sorted(maps.Keys(known)))
}
