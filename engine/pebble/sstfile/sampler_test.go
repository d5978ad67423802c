package sstfile

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"getio/engine"
	"getio/engine/catalog"

	"getio/tree/lsm"
)

// samplerSpecs are tables of both kinds of blocks and indexes.
func samplerSpecs(records []testRecord) []tableSpec {
	return []tableSpec{
		{version: 1, format: formatRocksDBv2, blockSize: 512, indexBlockSize: 4096, compression: "snappy", records: records},
		{version: 1, format: formatPebblev4, blockSize: 512, indexBlockSize: 128, compression: "zstd", records: records},
		{version: 2, format: formatPebblev5, blockSize: 512, indexBlockSize: 4096, compression: "none", records: records},
		{version: 2, format: formatPebblev7, blockSize: 512, indexBlockSize: 128, compression: "snappy", records: records},
	}
}

func newSampler(t testing.TB, c *Catalog) engine.Sampler {
	t.Helper()
	s, err := c.Sampler()
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

// sequence draws keys one after the other.
func sequence(t testing.TB, s engine.Sampler, seed uint64, draws int) (keys []uint64) {
	t.Helper()
	rand := rand.New(rand.NewPCG(seed, 0)).Uint64
	for range draws {
		key, err := s.Draw(rand, nil)
		check(t, err)
		keys = append(keys, keyNumber(key))
	}
	return keys
}

func TestDrawsDependOnSeedOnly(t *testing.T) {
	for _, spec := range samplerSpecs(unevenRecords(500, 7, 3)) {
		c := catalogOf(t, spec)
		first := sequence(t, newSampler(t, c), 1, 500)
		if again := sequence(t, newSampler(t, c), 1, 500); !slices.Equal(first, again) {
			t.Errorf("%s: the same seed drew other keys", spec.name())
		}
		if other := sequence(t, newSampler(t, c), 2, 500); slices.Equal(first, other) {
			t.Errorf("%s: another seed drew the same keys", spec.name())
		}
	}
}

func TestDrawsDoNotDependOnCaching(t *testing.T) {
	oneGoroutine(t)
	for _, spec := range samplerSpecs(unevenRecords(500, 7, 3)) {
		c := catalogOf(t, spec)
		remembering := newSampler(t, c)
		forgetful, err := c.SamplerWithin(0)
		check(t, err)
		want := sequence(t, remembering, 3, 2000)
		if got := sequence(t, forgetful, 3, 2000); !slices.Equal(got, want) {
			t.Errorf("%s: a sampler that remembers nothing drew other keys", spec.name())
		}
		// It remembers: every block is known, and its file is open.
		check(t, os.Remove(c.Tables[0].Ref.Path))
		if _, err := forgetful.Draw(rand.New(rand.NewPCG(1, 1)).Uint64, nil); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a sampler that remembers nothing drew from a removed file, error %v", spec.name(), err)
		}
		if got := sequence(t, remembering, 3, 2000); !slices.Equal(got, want) {
			t.Errorf("%s: what was learnt changed the draws", spec.name())
		}
	}
}

func TestConcurrentDrawsAreIndependent(t *testing.T) {
	c := catalogOf(t, samplerSpecs(unevenRecords(500, 7, 3))...)
	want := sequence(t, newSampler(t, c), 4, 300)
	s := newSampler(t, c)
	var all sync.WaitGroup
	for worker := range uint64(4) {
		all.Go(func() {
			if worker > 0 {
				sequence(t, s, 100+worker, 300)
			} else if got := sequence(t, s, 4, 300); !slices.Equal(got, want) {
				t.Error("concurrent draws changed each other")
			}
		})
	}
	all.Wait()
}

func TestDrawUsesBuffer(t *testing.T) {
	s := newSampler(t, catalogOf(t, samplerSpecs(plainRecords(50, 5))[0]))
	buf := append(make([]byte, 0, 64), "something that was there"...)
	key, err := s.Draw(rand.New(rand.NewPCG(1, 1)).Uint64, buf)
	check(t, err)
	if len(key) != 8 || &key[0] != &buf[0] {
		t.Errorf("the key %x is not in the buffer", key)
	}
}

func TestDeletionsAreNotDrawn(t *testing.T) {
	oneGoroutine(t)
	records := plainRecords(600, 5)
	for i := range records {
		if records[i].deletes = i%3 != 0; records[i].deletes {
			records[i].value = nil
		}
	}
	for _, spec := range samplerSpecs(records) {
		hits := drawn(t, newSampler(t, catalogOf(t, spec)), 5, 4000)
		// The keys that are set are every third: number them again.
		set := map[uint64]int{}
		for key, n := range hits {
			if key%3 != 0 {
				t.Fatalf("%s: key %d was drawn, and its record deletes it", spec.name(), key)
			}
			set[key/3] = n
		}
		holdUniform(t, set, 200)
	}
}

func TestSamplerOfDeletionsOnlyFails(t *testing.T) {
	if testing.Short() {
		t.Skip("a million draws")
	}
	records := plainRecords(20, 0)
	for i := range records {
		records[i].deletes = true
	}
	s := newSampler(t, catalogOf(t, samplerSpecs(records)[0]))
	if key, err := s.Draw(rand.New(rand.NewPCG(1, 1)).Uint64, nil); !errors.Is(err, catalog.ErrNoLiveRecord) {
		t.Errorf("key %x, error %v", key, err)
	}
}

func TestRangeDeletionsAreNotDrawn(t *testing.T) {
	for _, spec := range samplerSpecs(plainRecords(100, 5)) {
		bare := spec
		bare.records, bare.rangeDeletions = nil, 50
		holdUniform(t, drawn(t, newSampler(t, catalogOf(t, bare, spec)), 6, 2000), 100)
	}
}

func TestSamplerOfRangeDeletionsOnlyFails(t *testing.T) {
	spec := samplerSpecs(nil)[0]
	spec.rangeDeletions = 50
	if _, err := catalogOf(t, spec).Sampler(); !errors.Is(err, catalog.ErrNoLiveRecord) {
		t.Errorf("error %v", err)
	}
}

func TestVirtualTableDrawsStayWithinBounds(t *testing.T) {
	oneGoroutine(t)
	for _, exclusive := range []bool{false, true} {
		for _, spec := range samplerSpecs(plainRecords(1000, 30)) {
			path := spec.write(t)
			fi, err := os.Stat(path)
			check(t, err)
			part := func(smallest, largest uint64) catalog.Ref {
				share := fi.Size() * int64(largest-smallest+1) / 1000
				return catalog.Ref{
					Level: 6, File: 1, Path: path, Virtual: true, Size: share,
					Smallest: numberedKey(smallest), Largest: numberedKey(largest), LargestExclusive: exclusive,
				}
			}
			c, err := ReadCatalog(t.Context(), []catalog.Ref{part(0, 199), part(500, 599)}, nil)
			check(t, err)
			within := map[uint64]int{}
			for key, n := range drawn(t, newSampler(t, c), 7, 6000) {
				switch {
				case exclusive && (key == 199 || key == 599), key > 599, key > 199 && key < 500:
					t.Fatalf("%s: key %d was drawn", spec.name(), key)
				case key < 200:
					within[0] += n
				default:
					within[1] += n
				}
			}
			// Two thirds of the records are in the first; 6 sigma.
			if within[0] < 3780 || within[0] > 4220 {
				t.Errorf("%s: %v draws for 200 and 100 records", spec.name(), within)
			}
		}
	}
}

func TestShapeOfVirtualTables(t *testing.T) {
	spec := samplerSpecs(plainRecords(1000, 30))[1]
	path := spec.write(t)
	fi, err := os.Stat(path)
	check(t, err)
	whole, err := ReadCatalog(t.Context(), []catalog.Ref{{Level: 6, File: 1, Path: path, Size: fi.Size()}}, nil)
	check(t, err)
	var refs []catalog.Ref
	for i := range uint64(4) {
		refs = append(refs, catalog.Ref{
			Level: 6, File: 1, Path: path, Virtual: true, Size: fi.Size() / 4,
			Smallest: lsm.Key(numberedKey(250 * i)), Largest: lsm.Key(numberedKey(250*i + 249)),
		})
	}
	parts, err := ReadCatalog(t.Context(), refs, nil)
	check(t, err)
	got, want := parts.Shape().Total(), whole.Shape().Total()
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"records", got.Records, want.Records}, {"data bytes", got.DataBytes, want.DataBytes},
		{"index bytes", got.IndexBytes, want.IndexBytes}, {"data blocks", got.DataBlocks, want.DataBlocks},
	} {
		if c.want == 0 || c.got > c.want || c.got < c.want-8 {
			t.Errorf("%s: four quarters are %d, the whole is %d", c.what, c.got, c.want)
		}
	}
}

func TestDamagedBlockFailsDraw(t *testing.T) {
	for _, spec := range samplerSpecs(plainRecords(300, 30)) {
		for _, memory := range []int64{1 << 20, 0} {
			c := catalogOf(t, spec)
			path := c.Tables[0].Ref.Path
			data, err := os.ReadFile(path)
			check(t, err)
			data[100] ^= 0xff
			check(t, os.WriteFile(path, data, 0o600))
			s, err := c.SamplerWithin(memory)
			check(t, err)
			defer s.Close()
			rand := rand.New(rand.NewPCG(1, 1)).Uint64
			for n := 0; err == nil; n++ {
				if n > 10_000 {
					t.Fatalf("%s: damage went unnoticed", spec.name())
				}
				_, err = s.Draw(rand, nil)
			}
			if !strings.Contains(err.Error(), path) {
				t.Errorf("error %v names no table", err)
			}
		}
	}
}

func TestMissingTableErrorNamesTable(t *testing.T) {
	c := catalogOf(t, samplerSpecs(plainRecords(10, 5))[0])
	ref := c.Tables[0].Ref
	check(t, os.Remove(ref.Path))
	if _, err := ReadCatalog(t.Context(), []catalog.Ref{ref}, nil); err == nil || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), ref.Path) {
		t.Errorf("error %v", err)
	}
	if _, err := c.TableRegions(99, "000099.sst"); err == nil || !strings.Contains(err.Error(), "000099") {
		t.Errorf("error %v", err)
	}
}

// oneGoroutine leaves out of short runs, which are the race detector's, a test that it can
// find nothing in.
func oneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("all of it is in one goroutine")
	}
}
