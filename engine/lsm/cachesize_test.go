package lsm

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/numbers/units"
)

func shapeOfTable(t Table) *Shape {
	var tables [NumLevels][]Table
	tables[5] = []Table{t}
	return NewShape(tables)
}

func TestParseCacheSize(t *testing.T) {
	shape := shapeOfTable(Table{Bytes: 1 << 30, FilterBytes: 1000, TopIndexBytes: 20, IndexBytes: 300})
	for text, want := range map[string]int64{
		"45MiB": 45 << 20, "2GB": 2e9, "1024B": 1024, "1048576": 1 << 20, "50%": 1 << 29, "0.1%": 1073741, "IP1": 1020, "ip2": 1320,
	} {
		size, err := ParseCacheSize(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := size.Bytes(shape); err != nil || got != want {
			t.Errorf("%q is %d bytes, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "foo", "0", "-1", "-5MiB", "0%", "-1%", "NaN%", "Inf%", "1e30", "99999999TB", "IP3"} {
		_, err := ParseCacheSize(text)
		assert.Error(t, err, "%q was accepted", text)
	}
	for text, want := range map[string]int64{"4096": 4096, "32": 32, "1048575": 1048575, "1048576": 0, "4096B": 0} {
		size, err := ParseCacheSize(text)
		if assert.NoError(t, err, text); size.ClientFlag() != want {
			t.Errorf("%q is a --cache of %d", text, size.ClientFlag())
		}
	}
	flag, err := ParseCacheSize("4096")
	assert.NoError(t, err)
	_, err = flag.Bytes(shape)
	assert.EqualError(t, err, "4096 without a unit is the --cache of geth, whose database this is not: name a size such as 4096MiB")
	if size, _ := ParseCacheSize("1%"); size.fraction > 0 {
		if n, err := size.Bytes(NewShape([NumLevels][]Table{})); err == nil {
			t.Errorf("1%% of an empty database is %d bytes", n)
		}
	}
}

func FuzzParseCacheSize(f *testing.F) {
	for _, s := range []string{"45MiB", "0.2%", "IP1", "-1", "1e400%", "0x10"} {
		f.Add(s)
	}
	shape := shapeOfTable(Table{Bytes: 1 << 30, FilterBytes: 1000, TopIndexBytes: 20, IndexBytes: 300})
	f.Fuzz(func(t *testing.T, s string) {
		size, err := ParseCacheSize(s)
		if err != nil {
			return
		}
		if n, err := size.Bytes(shape); err == nil && (n <= 0 || n > units.MaxSize) {
			t.Errorf("%q is %d bytes", s, n)
		}
	})
}

// TestDefaultCacheSizes wants ten distinct ascending sizes, none below the floor, including
// the inflection points above it.
func TestDefaultCacheSizes(t *testing.T) {
	for name, shape := range map[string]*Shape{
		"nothing": NewShape([NumLevels][]Table{}),
		"tiny":    shapeOfTable(Table{Bytes: 5000, FilterBytes: 10, TopIndexBytes: 20, IndexBytes: 30}),
		"usual":   shapeOfTable(Table{Bytes: 22 << 30, FilterBytes: 32 << 20, TopIndexBytes: 1 << 20, IndexBytes: 170 << 20}),
		"huge":    shapeOfTable(Table{Bytes: 22 << 40, FilterBytes: 3 << 30, TopIndexBytes: 1 << 20, IndexBytes: 17 << 30}),
	} {
		const floor = 512 << 10
		sizes := DefaultCacheSizes(shape, floor)
		if len(sizes) != 10 || !slices.IsSorted(sizes) || len(slices.Compact(slices.Clone(sizes))) != 10 || sizes[0] < floor {
			t.Errorf("%s: %v", name, sizes)
		}
		for _, point := range []int64{shape.IP1Bytes, shape.IP2Bytes} {
			if point >= floor && !slices.Contains(sizes, point) {
				t.Errorf("%s: %d is missing from %v", name, point, sizes)
			}
		}
	}
}

// TestClientCacheSizes: a large database has the usual sizes but those that its client cannot have; a
// small one has the client's smallest, twice that and so on.
func TestClientCacheSizes(t *testing.T) {
	const client = 16 << 20
	small := shapeOfTable(Table{Bytes: 84 << 20, FilterBytes: 76 << 10, TopIndexBytes: 32 << 10, IndexBytes: 207 << 10})
	assert.Equal(t, []int64{16 << 20, 32 << 20, 64 << 20}, ClientCacheSizes(small, client))
	tiny := shapeOfTable(Table{Bytes: 5000, FilterBytes: 10, TopIndexBytes: 20, IndexBytes: 30})
	assert.Equal(t, []int64{client}, ClientCacheSizes(tiny, client))
	assert.Equal(t, []int64{client}, ClientCacheSizes(NewShape([NumLevels][]Table{}), client))
	large := shapeOfTable(Table{Bytes: 22 << 30, FilterBytes: 32 << 20, TopIndexBytes: 1 << 20, IndexBytes: 170 << 20})
	assert.Equal(t, DefaultCacheSizes(large, client), ClientCacheSizes(large, client))
}

func TestSweepBytesThatDoNotFit(t *testing.T) {
	tight := errors.New("the machine lacks memory")
	got, err := DefaultSweepBytes(shapeOfTable(Table{Bytes: 1 << 30}), 1<<20, 0, nil, func(int64) error { return tight })
	assert.Empty(t, got)
	assert.ErrorIs(t, err, tight)
}

// TestSweepBytesOfClient: a sweep always has the client's own sizes.
func TestSweepBytesOfClient(t *testing.T) {
	const client = 16 << 20
	got, err := DefaultSweepBytes(shapeOfTable(Table{Bytes: 84 << 20}), 1<<19, client, []int64{12 << 20, 24 << 20, 32 << 20}, func(int64) error { return nil })
	assert.NoError(t, err)
	assert.Equal(t, []int64{12 << 20, 16 << 20, 24 << 20, 32 << 20, 64 << 20}, got)
}
