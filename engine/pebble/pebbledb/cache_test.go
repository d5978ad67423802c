package pebbledb

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v2 "github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
)

// libraryShards makes a cache with each library and counts its shards.
func libraryShards(t *testing.T, bytes int64) (shards int) {
	t.Helper()
	one, two := v1.NewCache(bytes), v2.NewCache(bytes)
	defer one.Unref()
	defer two.Unref()
	a := reflect.ValueOf(one).Elem().FieldByName("shards").Len()
	b := reflect.ValueOf(two).Elem().FieldByName("shards").Len()
	require.Equal(t, b, a, "shards of a cache of %d bytes", bytes)
	return a
}

// cacheBytes returns sizes around every threshold of the libraries.
func cacheBytes() (sizes []int64) {
	for _, mib := range []int64{1, 4, 15, 16, 17, 31, 32, 33, 48, 64, 128, 500, 512, 513} {
		sizes = append(sizes, mib<<20-1, mib<<20, mib<<20+1)
	}
	return append(sizes, 0, 1, 1000)
}

func TestShardsMatchesLibraries(t *testing.T) {
	now := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(now)
	for _, procs := range []int{1, 2, 3, 8, 32} {
		runtime.GOMAXPROCS(procs)
		for _, bytes := range cacheBytes() {
			if got, want := Shards(bytes, procs), libraryShards(t, bytes); got != want {
				t.Errorf("%d bytes on %d processors: %d shards, but the libraries create %d", bytes, procs, got, want)
			}
		}
	}
}

func TestWithShardsCreatesRequestedShards(t *testing.T) {
	for _, bytes := range cacheBytes() {
		for shards := -4; shards <= 132; shards++ {
			cfg := engine.OpenConfig{CacheBytes: bytes, Shards: shards}
			made := 0
			// The cache may be larger than CacheBytes.
			got, err := WithShards(cfg, func() { made = libraryShards(t, bytes+300<<10) })
			switch {
			case err == nil && (made != got || shards != 0 && got != shards):
				t.Errorf("%+v: %d shards created, %d returned", cfg, made, got)
			case err != nil && made != 0:
				t.Errorf("%+v: a cache was created despite error %v", cfg, err)
			case err != nil && shards >= 4 && shards%4 == 0 && bytes/int64(shards) >= 4<<20:
				t.Errorf("%+v: %v", cfg, err)
			}
		}
	}
}

func TestWithShardsRestoresGOMAXPROCS(t *testing.T) {
	now := runtime.GOMAXPROCS(0)
	_, err := WithShards(engine.OpenConfig{CacheBytes: 1 << 30, Shards: 4 * (now + 3)}, func() {
		assert.Equal(t, now+3, runtime.GOMAXPROCS(0))
	})
	require.NoError(t, err)
	assert.Equal(t, now, runtime.GOMAXPROCS(0))
}

func TestWithShardsConcurrently(t *testing.T) {
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			want := 4 * (1 + i%5)
			made := 0
			_, err := WithShards(engine.OpenConfig{CacheBytes: 1 << 30, Shards: want}, func() {
				made = 4 * runtime.GOMAXPROCS(0)
			})
			if err != nil || made != want {
				t.Errorf("want %d shards, got %d, error %v", want, made, err)
			}
		})
	}
	all.Wait()
}

func TestNewReserve(t *testing.T) {
	c, _ := configure(t, "pebble") // reserves 256 KiB
	const normal = 256 << 10
	wrapped := ^uint64(0) // -1
	for _, r := range []struct {
		size, zombie uint64
		want         Reserve
	}{
		{normal, 0, Reserve{}},
		{0, 0, Reserve{Missing: normal}},
		{0, normal, Reserve{}},
		{normal, normal, Reserve{Excess: normal}},
		{4 << 20, 1 << 20, Reserve{Excess: 5<<20 - normal}},
		{normal + 1, wrapped, Reserve{}},
		{normal, wrapped, Reserve{Missing: 1}},
		{4 << 20, wrapped - (4 << 20) + 2, Reserve{Missing: normal - 1}},
	} {
		got := NewReserve(c, r.size, r.zombie)
		if got != r.want {
			t.Errorf("size %d, zombie %d: %+v, want %+v", r.size, int64(r.zombie), got, r.want)
		}
		if got.LibraryBytes(0) != 0 || got.LibraryBytes(1<<20) != 1<<20+got.Excess {
			t.Errorf("%+v: library size %d for a cache of 1 MiB", got, got.LibraryBytes(1<<20))
		}
	}
}

func TestCheckCacheRejectsCachesBelowFloor(t *testing.T) {
	for _, override := range []string{"memtable_size=64KiB", "memtable_size=64MiB"} {
		c, _ := configure(t, "pebble", override)
		floor := c.CacheFloor()
		if floor != 2*c.ReservedBytes() || c.ReservedBytes() > 256<<10 {
			t.Errorf("%s: floor %d, reserved %d", override, floor, c.ReservedBytes())
		}
		for bytes, ok := range map[int64]bool{0: true, floor: true, floor + 1: true, floor - 1: false, 1: false, -1: false} {
			assert.Equal(t, ok, (c.CheckCache(bytes) == nil), "%s: a cache of %d", override, bytes)
		}
	}
}
