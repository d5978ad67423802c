package pebblestore_test

import (
	"context"
	"path/filepath"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v1bloom "github.com/cockroachdb/pebble/bloom"
	v2 "github.com/cockroachdb/pebble/v2"
	v2bloom "github.com/cockroachdb/pebble/v2/bloom"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/measure"
	"getio/measure/workload"
)

const rangeKeys, rangeFrom, rangeTo = 20_000, 5_000, 15_000

// rangeDeletedV1 leaves tables of keys below one that holds nothing but a
// deleted range.
func rangeDeletedV1(t *testing.T, dir string) {
	t.Helper()
	o := &v1.Options{DisableAutomaticCompactions: true, Logger: quiet{}}
	o.Levels = []v1.LevelOptions{{BlockSize: 512, IndexBlockSize: 512, FilterPolicy: v1bloom.FilterPolicy(10)}}
	db, err := v1.Open(dir, o)
	check(t, err)
	for n := range uint64(rangeKeys) {
		check(t, db.Set(exciseKey(n), exciseKey(n), v1.NoSync))
	}
	check(t, db.Flush())
	check(t, db.DeleteRange(exciseKey(rangeFrom), exciseKey(rangeTo), v1.NoSync))
	check(t, db.Flush())
	check(t, db.Close())
}

func rangeDeletedV2(t *testing.T, dir string, format v2.FormatMajorVersion) {
	t.Helper()
	o := &v2.Options{DisableAutomaticCompactions: true, Logger: quiet{}, FormatMajorVersion: format}
	o.Levels[0] = v2.LevelOptions{BlockSize: 512, IndexBlockSize: 512, FilterPolicy: v2bloom.FilterPolicy(10)}
	db, err := v2.Open(dir, o)
	check(t, err)
	for n := range uint64(rangeKeys) {
		check(t, db.Set(exciseKey(n), exciseKey(n), v2.NoSync))
	}
	check(t, db.Flush())
	check(t, db.DeleteRange(exciseKey(rangeFrom), exciseKey(rangeTo), v2.NoSync))
	check(t, db.Flush())
	check(t, db.Close())
}

func TestTreesWithDeletedRanges(t *testing.T) {
	for name, c := range map[string]struct {
		make   func(t *testing.T, dir string)
		engine engine.Engine
	}{
		"v1":          {rangeDeletedV1, pebblev1.Engine},
		"v2 rows":     {func(t *testing.T, dir string) { rangeDeletedV2(t, dir, v2.FormatMinSupported) }, pebblev2.Engine},
		"v2 columnar": {func(t *testing.T, dir string) { rangeDeletedV2(t, dir, v2.FormatNewest) }, pebblev2.Engine},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "db")
			c.make(t, dir)
			cfg, err := c.engine.Configure("", nil)
			check(t, err)
			s, err := c.engine.OpenStore(context.Background(), dir, cfg)
			check(t, err)
			defer s.Close()
			if total := s.Shape().Total(); total.Tables < 2 {
				t.Fatalf("%d tables: none of a deleted range alone", total.Tables)
			}
			for _, exact := range []bool{false, true} {
				gets, err := workload.Sampled(s, workload.Random{Seed: 1, Absent: 0.2})
				check(t, err)
				defer gets.Close()
				r, err := measure.Measure(context.Background(), s, engine.OpenConfig{CacheBytes: 512 << 10}, gets,
					measure.Options{Gets: 10_000, Warmup: measure.WarmupGets(0), Workers: 1, Keys: rangeKeys, ExactSplit: exact})
				check(t, err)
				if !r.Checks.Hold() {
					t.Errorf("exact split %v: %+v", exact, r.Checks.Failed())
				}
				if *r.Components["data"].Accesses == 0 || r.IOsPerGet.Mean <= 0 {
					t.Errorf("exact split %v: %+v", exact, r.Components)
				}
			}
		})
	}
}
