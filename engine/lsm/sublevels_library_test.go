package lsm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v2 "github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
)

// writer writes to a database of either Pebble version.
type writer struct {
	set         func(key, value []byte) error
	deleteRange func(from, to []byte) error
	flush       func() error
	sublevels   func() (sublevels int32, tables int64)
	close       func() error
}

func openV1(t *testing.T, dir string, splitBytes int64) writer {
	o := &v1.Options{DisableAutomaticCompactions: true, L0StopWritesThreshold: 1 << 20, FlushSplitBytes: splitBytes}
	o.Levels = []v1.LevelOptions{{TargetFileSize: 4 << 10, BlockSize: 512}}
	o.Logger = quiet{}
	db, err := v1.Open(dir, o)
	require.NoError(t, err)
	return writer{
		set:         func(k, v []byte) error { return db.Set(k, v, v1.NoSync) },
		deleteRange: func(from, to []byte) error { return db.DeleteRange(from, to, v1.NoSync) },
		flush:       db.Flush,
		sublevels:   func() (int32, int64) { l := db.Metrics().Levels[0]; return l.Sublevels, l.NumFiles },
		close:       db.Close,
	}
}

func openV2(t *testing.T, dir string, splitBytes int64) writer {
	o := &v2.Options{DisableAutomaticCompactions: true, L0StopWritesThreshold: 1 << 20, FlushSplitBytes: splitBytes}
	o.TargetFileSizes[0] = 4 << 10
	o.Levels[0] = v2.LevelOptions{BlockSize: 512}
	o.Logger = quiet{}
	db, err := v2.Open(dir, o)
	require.NoError(t, err)
	return writer{
		set:         func(k, v []byte) error { return db.Set(k, v, v2.NoSync) },
		deleteRange: func(from, to []byte) error { return db.DeleteRange(from, to, v2.NoSync) },
		flush:       db.Flush,
		sublevels:   func() (int32, int64) { l := db.Metrics().Levels[0]; return l.Sublevels, l.TablesCount },
		close:       db.Close,
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestSublevelsMatchPebble(t *testing.T) {
	for name, lib := range map[string]struct {
		open   func(t *testing.T, dir string, splitBytes int64) writer
		engine engine.Engine
	}{
		"v1": {openV1, pebblev1.Engine},
		"v2": {openV2, pebblev2.Engine},
	} {
		for _, kind := range []struct {
			name       string
			splitBytes int64
			ranges     bool
		}{
			{"whole flushes", 1 << 20, false},
			{"split flushes", 2 << 10, false},
			{"range deletions", 1 << 20, true},
			{"split flushes, range deletions", 2 << 10, true},
		} {
			t.Run(name+"/"+kind.name, func(t *testing.T) {
				dir := t.TempDir()
				w := lib.open(t, dir, kind.splitBytes)
				fillL0(t, w, kind.ranges)
				sublevels, tables := w.sublevels()
				require.NoError(t, w.close())
				if sublevels < 5 || tables < 20 {
					t.Fatalf("only %d tables in %d sublevels", tables, sublevels)
				}
				cfg, err := lib.engine.Configure("pebble", nil)
				require.NoError(t, err)
				s, err := lib.engine.OpenStore(context.Background(), dir, cfg)
				require.NoError(t, err)
				defer s.Close()
				l0 := s.Shape().Levels[0]
				if l0.Level != 0 || int32(l0.Sublevels) != sublevels || l0.Tables != tables {
					t.Errorf("L%d has %d tables in %d sublevels, but Pebble reports %d in %d", l0.Level, l0.Tables, l0.Sublevels, tables, sublevels)
				}
			})
		}
	}
}

// fillL0 flushes overlapping tables.
func fillL0(t *testing.T, w writer, ranges bool) {
	r := rand.New(rand.NewPCG(4, 0))
	key := func(i int) []byte { return fmt.Appendf(nil, "key%03d", i) }
	value := make([]byte, 100)
	for range 30 {
		first, width := r.IntN(90), 1+r.IntN(10)
		if r.IntN(4) == 0 {
			first, width = 0, 100
		}
		if ranges && r.IntN(2) == 0 {
			// The bound is exclusive: the next table may begin there.
			require.NoError(t, w.deleteRange(key(first), key(first+width)))
		} else {
			for i := range width {
				require.NoError(t, w.set(key(first+i), value))
			}
		}
		require.NoError(t, w.flush())
	}
}
